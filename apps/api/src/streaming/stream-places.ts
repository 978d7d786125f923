import type { Request } from 'express'
import { isLoopback } from '../access/client-address.ts'
import { clientName } from '../access/client-name.ts'

/** Limits of one kind of client. */
export interface StreamPlan {
  /** Connections at a time. */
  readonly connections: number
  /** Addresses of a connection. */
  readonly addresses: number
}

/** Limits of streams by kind of client. */
export interface StreamPlans {
  /** Clients without a key. */
  readonly anonymous: StreamPlan
  /** The account of a key, over all its keys. */
  readonly keyed: StreamPlan
  /** All clients together. */
  readonly connections: number
}

/** The default limits. */
export const STREAM_PLANS: StreamPlans = {
  anonymous: { connections: 2, addresses: 100 },
  keyed: { connections: 10, addresses: 1000 },
  connections: 10_000,
}

/** Addresses that a stream of the same machine may have at least. */
const LOCAL_ADDRESSES = 10_000

/** Open connections per client. */
export class StreamPlaces {
  private readonly taken = new Map<string, number>()
  private all = 0

  constructor(private readonly plans: StreamPlans) {}

  get count(): number {
    return this.all
  }

  planOf(request: Request): StreamPlan {
    if (clientName(request).startsWith('account:')) return this.plans.keyed
    const { anonymous } = this.plans
    if (!isLoopback(request.ip)) return anonymous
    return {
      connections: Number.MAX_SAFE_INTEGER,
      addresses: Math.max(LOCAL_ADDRESSES, anonymous.addresses),
    }
  }

  /** A function that gives the place back; or, if there is no place, the number of open streams. */
  take(request: Request): (() => void) | number {
    const { connections } = this.planOf(request)
    const client = clientName(request)
    const own = this.taken.get(client) ?? 0
    if (own >= connections) return connections
    if (this.all >= this.plans.connections) return this.plans.connections
    this.taken.set(client, own + 1)
    this.all++
    let isHeld = true
    return () => {
      if (isHeld) this.giveBack(client)
      isHeld = false
    }
  }

  private giveBack(client: string): void {
    this.all--
    const left = this.taken.get(client)! - 1
    if (left > 0) this.taken.set(client, left)
    else this.taken.delete(client)
  }
}
