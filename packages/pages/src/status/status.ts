import type { FullNodesJson } from '@shardwalk/tables'
/** The document of `/status.json`. Seqnos are those of masterchain blocks; unknown facts are null. */
export interface Status {
  /** When it was read. Unix milliseconds. */
  readonly at: number
  readonly version: string
  /** `NETWORK`, without folders. */
  readonly network: string
  readonly global_id: number | null
  readonly profile: string
  /** Why the database gives no answer; null: it does, and everything below is of `at`. */
  readonly database_problem: string | null
  /** Newest block of the network. `followed`: whether a process follows it now. */
  readonly head: { readonly seqno: number; readonly followed: boolean | null } | null
  /** Newest indexed block, its time, and how long ago it became the newest one. */
  readonly newest: {
    readonly seqno: number
    readonly utime: number | null
    readonly unchanged_seconds: number
  } | null
  /** First block that is wanted. */
  readonly first: number | null
  readonly indexed: readonly Range[]
  readonly gaps: readonly Range[]
  /** Wanted blocks that are not indexed. */
  readonly missing: number | null
  /** Masterchain blocks indexed per second, newest and old ones, and the time left at this rate. */
  readonly rate: { readonly blocks_per_second: number | null; readonly seconds_left: number | null }
  readonly proved: { readonly seqno: number; readonly seconds_ago: number } | null
  readonly quarantine: Quarantine | null
  /** With `WATCH`: the number of its items, and blocks that lack some. Null: all is indexed. */
  readonly watched: { readonly items: number; readonly partial: readonly Range[] } | null
  readonly waiting: Waiting | null
  /** What went wrong, most frequent first, at most 20; null if it is not shown to everybody. */
  readonly problems: readonly Problem[] | null
  /** Null if they are not shown to everybody. */
  readonly servers: readonly Server[] | null
  /** Of each process that takes blocks from full nodes; null as above. */
  readonly full_nodes: readonly FullNodes[] | null
  readonly database: Database | null
  readonly disk: Disk | null
  readonly process: {
    readonly uptime_seconds: number
    readonly memory_bytes: number
    readonly event_loop_ms: number
    /** Answered in the last minute by this process, and how long they took. */
    readonly requests_per_second: number
    readonly p50_ms: number | null
    readonly p99_ms: number | null
    readonly watching: number
  }
}

/** Masterchain seqnos, both included. */
export interface Range {
  readonly from: number
  readonly to: number
}

interface Quarantine {
  readonly blocks: number
  readonly transactions: number
  readonly states: number
  readonly versions: number
  /** The masterchain blocks concerned. */
  readonly ranges: readonly Range[]
}

/** Entries in quarantine, by kind and reason. */
export interface Problem {
  readonly kind: string
  readonly reason: string
  readonly count: number
  /** Masterchain blocks. */
  readonly first_seqno: number
  readonly last_seqno: number
}

/** Work behind the head; counted up to `counted_to`. */
interface Waiting {
  readonly contracts: number
  readonly missing_states: number
  readonly traces: number
  readonly traces_oldest_seconds: number
  readonly failed_traces: number
  readonly metadata: number
  readonly counted_to: number
}

/** A lite server as the API sees it. */
export interface Server {
  readonly name: string
  readonly state: 'ready' | 'banned' | 'connecting'
  readonly head: number | null
  readonly latency_ms: number | null
  readonly archive: boolean | null
  /** Whether it offers shard blocks before the masterchain commits them. */
  readonly nonfinal: boolean
  readonly in_flight: number
  readonly problem: string | null
  /** Of the last five minutes, of this process and of ingest. */
  readonly faults: Faults
}

/** Numbers of faults of a lite server, by class. */
export type Faults = Readonly<Record<'timeouts' | 'rate_limits' | 'wrong_answers' | 'disconnects', number>>

/** The disk of `DATA_DIR`. */
interface Disk {
  readonly free_bytes: number | null
  /** At the head; more while history is indexed. */
  readonly bytes_per_day: number | null
  /** Null if the database is elsewhere. */
  readonly days_left: number | null
}

/** Report of one process on full nodes. `id`: ADNL id of the process, hex. */
export type FullNodes = FullNodesJson & { readonly id: string; readonly seconds_ago: number }

interface Database {
  readonly bytes: number
  readonly tables: readonly {
    readonly name: string
    readonly rows: number
    readonly table_bytes: number
    readonly index_bytes: number
  }[]
}
