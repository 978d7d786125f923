import { type Kysely, sql } from 'kysely'

/**
 * Traces, and the messages that lead out of them. One row per trace in whatever state: a trace that is cut off by the edge of what is
 * indexed is data too. Lists show complete traces only, so the indexes of lists leave the others out.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table traces (
    start_lt bigint not null,
    end_lt bigint not null,
    mc_seqno_start integer not null,
    mc_seqno_end integer not null,
    start_utime integer not null,
    end_utime integer not null,
    nodes integer not null,
    edges integer not null,
    pending_edges integer not null,
    state smallint not null,
    trace_id bytea primary key,
    external_hash bytea,
    external_hash_norm bytea
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  'create index traces_end_lt on traces (end_lt) where state = 0',
  'create index traces_end_utime on traces (end_utime) where state = 0',
  'create index traces_mc_seqno_end on traces (mc_seqno_end) where state = 0',

  `create table pending_edges (
    lt bigint not null,
    known_end smallint not null,
    message_hash bytea primary key,
    trace_id bytea not null
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  'create index pending_edges_trace_id on pending_edges using hash (trace_id)',

  `create table unclassified_traces (
    end_lt bigint not null,
    trace_id bytea primary key
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  'create index unclassified_traces_end_lt on unclassified_traces (end_lt)',
]
