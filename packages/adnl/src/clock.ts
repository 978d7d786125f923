/** Time as nodes need it; tests supply their own. */
export interface NodeClock {
  /** Monotonic milliseconds. */
  now(): number
  /** Unix seconds. */
  unixTime(): number
}

/** Source of ids, keys and padding, which must be unpredictable except in tests. */
export type RandomBytes = (length: number) => Buffer
