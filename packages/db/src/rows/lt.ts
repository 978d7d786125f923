import type { Lt } from '@shardwalk/model'

/** The lesser of two logical times; `Math.min` does not accept bigint. */
export function least(a: Lt, b: Lt): Lt {
  if (a < b) return a
  return b
}

/** The greater of two logical times. */
export function greatest(a: Lt, b: Lt): Lt {
  if (a > b) return a
  return b
}
