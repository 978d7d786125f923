import { bytea, defineTable, jsonb, timestamptz } from './define-table.ts'

/** Report of a process that takes blocks from full nodes. */
export interface FullNodesJson {
  /** Of datagrams, since the report before. */
  readonly bytes_in_per_second: number
  readonly bytes_out_per_second: number
  /** Servers of the hash table that answer. */
  readonly dht_servers: number
  /** How far the clocks of nodes are ahead of ours; null: not known yet. */
  readonly clock_offset_seconds: number | null
  readonly overlays: readonly OverlayJson[]
  /** Those that gave most; `overlays` counts all. */
  readonly nodes: readonly FullNodeJson[]
}

/** An overlay as a member sees it. */
export interface OverlayJson {
  readonly name: string
  /** Number of members that servers and peers have named. */
  readonly members: number
  /** Numbers of nodes that are asked, that are asked last after failures, and that are banned. */
  readonly ready: number
  readonly resting: number
  readonly banned: number
  /** Broadcasts that arrived whole since the start. */
  readonly broadcasts: number
}

/** A node as a process that asks it sees it. */
export interface FullNodeJson {
  /** ADNL id, hex. */
  readonly id: string
  /** `<host>:<port>`. */
  readonly address: string
  /** Names of the overlays in which it answers. */
  readonly overlays: readonly string[]
  readonly state: 'ready' | 'resting' | 'banned'
  /** Queries since it is known: short answers, blocks and proofs, pieces of archive files. */
  readonly asked: { readonly short: number; readonly block: number; readonly archive: number }
  readonly answered: number
  /** Bytes of its answers. */
  readonly bytes: number
  /** Rate of its long answers; null: it gave none. */
  readonly bytes_per_second: number | null
  /** Mean time of its answers; null: it gave none. */
  readonly mean_ms: number | null
}

export const fullNodeReports = defineTable('full_node_reports', {
  comment: 'One row per process that takes blocks from full nodes: what it knows of them.',
  notes: `Written every five seconds, read by \`status\` and the status page, which ignore rows older
than half a minute. It may be lost.`,
  primaryKey: ['adnl_id'],
  columns: {
    adnl_id: bytea("ADNL id of the process's node."),
    reported_at: timestamptz('When it was written.'),
    report: jsonb<FullNodesJson>('Rates, overlays, and the nodes that gave most.'),
  },
})
