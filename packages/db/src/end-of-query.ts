/** A method of the driver, with all of its overloads. */
// biome-ignore lint/suspicious/noExplicitAny: one type for all overloads of the driver
type Query = (...all: any[]) => any

/**
 * Sends a statement with the driver's `query` and calls `onEnd` when it was answered, even with an error.
 *
 * Promises are made here and not by the driver: a function that is written as the value of a property, as
 * `query.callback` is there, begins its life as an old object, and with it V8 keeps the result and whatever
 * else it can reach until the next major collection.
 */
export function observeEnd(query: Query, all: readonly unknown[], onEnd: () => void): unknown {
  const given = all.at(-1)
  if (typeof given === 'function') {
    const callback = (...result: unknown[]) => {
      onEnd()
      given(...result)
    }
    return query(...all.slice(0, -1), callback)
  }
  return new Promise((resolve, reject) => {
    const callback = (error: Error | null, result: unknown) => {
      onEnd()
      if (error) reject(error)
      else resolve(result)
    }
    query(...all, callback)
  }).catch((error: Error) => {
    // Leads to the caller instead of the socket.
    Error.captureStackTrace(error)
    throw error
  })
}
