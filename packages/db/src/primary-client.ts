import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import { DatabaseIsStandby } from './errors.ts'

/** URLs that have led to a primary. */
const primaries = new Set<string>()

interface Inside {
  readonly connection: EventEmitter
}

interface Parameter {
  readonly parameterName: string
  readonly parameterValue: string
}

/**
 * Connections that lead to a primary. While a standby takes over, the address may lead to a server that is
 * not, or no more, the primary: a pool would keep what it opened meanwhile and read from it what may be old,
 * for as long as it is busy. An address that never led to a primary is that of a replica, and may be read.
 */
export function primaryClient(url: string, Client: typeof pg.Client): typeof pg.Client {
  class PrimaryClient extends Client {
    private isStandby = false

    constructor(config?: string | pg.ClientConfig) {
      super(config)
      // Servers report it when a connection begins, and whenever it changes.
      const { connection } = this as unknown as Inside
      connection.on('parameterStatus', ({ parameterName, parameterValue }: Parameter) => {
        if (parameterName === 'in_hot_standby') this.isStandby = parameterValue === 'on'
      })
    }

    // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads
    override connect(callback?: any): any {
      const connected = super.connect().then(() => this.requirePrimary())
      if (!callback) return connected
      connected.then(() => callback(), callback)
    }

    private async requirePrimary(): Promise<void> {
      if (!this.isStandby) primaries.add(url)
      else if (primaries.has(url)) {
        await this.end().catch(() => {})
        throw new DatabaseIsStandby()
      }
    }
  }
  return PrimaryClient
}
