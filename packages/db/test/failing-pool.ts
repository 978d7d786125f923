import type pg from 'pg'

/** A pool whose statements fail once `most` of them have begun, in transactions too. */
export function failingPool(pool: pg.Pool, most: number): pg.Pool {
  let left = most
  const failing = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name) as unknown
        if (name === 'query')
          return async (...parameters: unknown[]) => {
            if (left-- <= 0 && parameters[0] !== 'rollback') return interrupt(parameters[0])
            return (value as (...all: unknown[]) => unknown).apply(target, parameters)
          }
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  return new Proxy(failing(pool), {
    get(target, name) {
      if (name !== 'connect') return Reflect.get(target, name)
      return async () => failing(await pool.connect())
    },
  })
}

/** What pg is given instead of a text, e.g. COPY, is waited for until it is told of an error. */
function interrupt(statement: unknown): void {
  const error = new Error('interrupted')
  const { handleError } = statement as { handleError?: (error: Error) => void }
  if (!handleError) throw error
  handleError.call(statement, error)
}
