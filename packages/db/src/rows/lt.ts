import type { Lt } from '@shardwalk/model'
/** Math.min and Math.max of logical times, which are bigint. */
export function least(a: Lt, b: Lt): Lt {
  if (a < b) return a
  return b
}

export function greatest(a: Lt, b: Lt): Lt {
  if (a > b) return a
  return b
}
