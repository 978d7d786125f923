// What becomes of connections to a PostgreSQL server that refuses to write.
import type { EventEmitter } from 'node:events'

/** The parts of pg's client that are needed here; its type omits the connection. */
interface Client {
  readonly connection: EventEmitter
  end(): Promise<void>
}

const READ_ONLY_TRANSACTION = '25006'

/** Calls `act` when the server of the connection refuses to write. */
export function onReadOnly(client: unknown, act: () => void): void {
  const { connection } = client as Client
  connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
    if (code === READ_ONLY_TRANSACTION) act()
  })
}

/**
 * Connections whose server refused to write are closed instead of being used again. While a standby takes
 * over, the address of the primary may lead to a server that is still, or has just become, a standby. Without
 * this a busy pool would keep what it opened meanwhile, and never find the new primary.
 */
export function leaveReadOnlyServers(pool: EventEmitter): void {
  const refused = new WeakSet<object>()
  pool.on('connect', (client: object) => onReadOnly(client, () => refused.add(client)))
  // The pool looks whether the connection has ended after this event.
  pool.on('release', (_error: unknown, client: Client) => {
    if (refused.has(client)) void client.end().catch(() => {})
  })
}
