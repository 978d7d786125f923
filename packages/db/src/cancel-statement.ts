import pg from 'pg'

/** Time allowed for the request; a statement that goes on ends at its timeout. Milliseconds. */
const CANCEL_MS = 2_000

/** The parts of pg's client that its type omits. */
interface Inside {
  readonly host: string
  readonly port: number
  readonly ssl: pg.ConnectionConfig['ssl']
  readonly processID: number
  readonly secretKey: number
}

/** The parts of pg's connection that its type omits. */
interface Cancelling extends pg.Connection {
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

/**
 * Asks the server to cancel what a client's connection runs. Resolves when the request was taken or failed,
 * and never rejects. The server may act on it a moment later, so the connection must not be used for another
 * statement. Source: PostgreSQL manual, Frontend/Backend Protocol, "Canceling Requests in Progress"; unlike
 * `pg_cancel_backend` it needs no free connection and passes through connection poolers.
 */
export function cancelStatement(client: pg.ClientBase): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as Inside
  return new Promise((resolve) => {
    const connection = new pg.Connection({ ssl }) as Cancelling
    const end = () => {
      clearTimeout(deadline)
      connection.stream.destroy()
      resolve()
    }
    const deadline = setTimeout(end, CANCEL_MS)
    const send = () => connection.cancel(processID, secretKey)
    connection.on('connect', () => (ssl ? connection.requestSsl() : send()))
    connection.on('sslconnect', send)
    // The server answers nothing and closes.
    connection.on('end', end)
    connection.on('error', end)
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
