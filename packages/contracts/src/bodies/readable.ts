import { DecodeError } from '@shardwalk/model'

/** Result of a reader; undefined when the cells end too early or do not have that layout. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
