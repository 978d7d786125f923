import { IndexerError } from '@shardwalk/model'

/** The queue is full: the call was not started and may be tried again. */
export class QueueFull extends IndexerError {
  readonly code = 'queue_full'
  readonly retry = 'later'

  /** `whose`: whether the client or all clients together have too many calls waiting. */
  constructor(
    readonly whose: 'client' | 'all',
    waiting: number,
  ) {
    super(`${waiting} calls ${whose === 'client' ? 'of this client ' : ''}are waiting already`)
  }
}

/** Position of a call in the queue. */
export interface Place {
  /** Clients take turns, however many calls each has waiting. Default: all such calls count as one client. */
  readonly client?: string | undefined
  /** Within a client, lanes take turns too, so that a series of calls of one kind does not delay others. */
  readonly lane?: string | undefined
}

/** Limits beyond which `push` throws `QueueFull`. */
export interface FairQueueOptions {
  /** Default: no limit. */
  readonly maxWaiting?: number | undefined
  /** Default: no limit but `maxWaiting`. */
  readonly maxWaitingPerClient?: number | undefined
}

interface Client<T> {
  readonly lanes: Map<string, Set<T>>
  waiting: number
}

/** A bounded queue whose clients take turns. Every item occurs once. */
export class FairQueue<T> {
  /** In order of turns. */
  private readonly clients = new Map<string, Client<T>>()
  private readonly places = new Map<T, Required<Place>>()

  constructor(private readonly options: FairQueueOptions = {}) {}

  get length(): number {
    return this.places.size
  }

  /** Throws `QueueFull`. */
  push(item: T, { client: name = '', lane: laneName = '' }: Place = {}): void {
    const { maxWaiting, maxWaitingPerClient } = this.options
    const client = this.clients.get(name) ?? { lanes: new Map<string, Set<T>>(), waiting: 0 }
    if (maxWaiting !== undefined && this.length >= maxWaiting) throw new QueueFull('all', this.length)
    if (maxWaitingPerClient !== undefined && client.waiting >= maxWaitingPerClient)
      throw new QueueFull('client', client.waiting)
    this.clients.set(name, client)
    const lane = client.lanes.get(laneName) ?? new Set<T>()
    client.lanes.set(laneName, lane.add(item))
    client.waiting++
    this.places.set(item, { client: name, lane: laneName })
  }

  /**
   * Removes and returns the item whose turn it is. `mayRun`: clients for which it returns false are skipped.
   */
  take(mayRun: (client: string) => boolean = () => true): T | undefined {
    for (const [name, client] of this.clients) {
      if (!mayRun(name)) continue
      const [laneName, lane] = client.lanes.entries().next().value!
      const item = lane.values().next().value!
      this.remove(item)
      // Moves both to the end of their lines.
      if (client.lanes.delete(laneName)) client.lanes.set(laneName, lane)
      if (this.clients.delete(name)) this.clients.set(name, client)
      return item
    }
    return undefined
  }

  /** False when the item is no longer in the queue. */
  remove(item: T): boolean {
    const place = this.places.get(item)
    if (!place) return false
    this.places.delete(item)
    const client = this.clients.get(place.client)!
    const lane = client.lanes.get(place.lane)!
    lane.delete(item)
    client.waiting--
    if (lane.size === 0) client.lanes.delete(place.lane)
    if (client.waiting === 0) this.clients.delete(place.client)
    return true
  }

  /** Empties the queue. */
  drain(): T[] {
    const items = [...this.places.keys()]
    this.places.clear()
    this.clients.clear()
    return items
  }
}
