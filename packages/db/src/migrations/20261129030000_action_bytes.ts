import { type Kysely, sql } from 'kysely'

/**
 * Account ids of an action are one byte string, because the head of an array takes 20 bytes, and one byte
 * stands for the trace's id at the beginning of its hashes. The table is written anew, offline and in one
 * transaction, and with it indexes are built that are smaller: what masterchain blocks complete is found by
 * their range of lt, and what an account's rows, or those of a second, are ordered by besides is sorted when
 * they are read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS: readonly string[] = [
  // In SQL they would take four times as long.
  `create function account_ids_in(stored bytea) returns bigint[]
   language plpgsql immutable strict parallel safe as $$
   declare
     ids bigint[] := '{}';
   begin
     for place in 0 .. length(stored) / 8 - 1 loop
       ids := ids || ('x' || encode(substr(stored, 8 * place + 1, 8), 'hex'))::bit(64)::bigint;
     end loop;
     return ids;
   end $$`,
  `create function tx_hashes_of(trace_id bytea, stored bytea) returns bytea
   language sql immutable parallel safe as $$
     select case when length(stored) % 32 = 1 then trace_id || substr(stored, 2) else stored end $$`,
  'drop index actions_mc_seqno',
  'alter index actions_action_bytes set (fillfactor = 90)',
  `create function pg_temp.joined(ids bigint[]) returns bytea language plpgsql immutable as $$
   declare
     id bigint;
     bytes bytea := '';
   begin
     foreach id in array ids loop bytes := bytes || int8send(id); end loop;
     return bytes;
   end $$`,
  `alter table actions
     alter column account_ids type bytea using pg_temp.joined(account_ids),
     alter column tx_hashes type bytea using case when substr(tx_hashes, 1, 32) = trace_id
       then '\\x00'::bytea || substr(tx_hashes, 33) else tx_hashes end`,
  'drop function pg_temp.joined',
  'drop index action_accounts_order_lt',
  'create index action_accounts_order_lt on action_accounts (account_id, trace_end_lt)',
  ...['blocks_file_hash', 'blocks_root_hash'].flatMap((index) => [
    `alter index ${index} set (fillfactor = 90)`,
    `reindex index ${index}`,
  ]),
  'drop index jetton_transfers_now, jetton_burns_now, nft_transfers_now',
  'create index jetton_transfers_now on jetton_transfers (now) where confirmed and not aborted',
  'create index jetton_burns_now on jetton_burns (now) where confirmed',
  'create index nft_transfers_now on nft_transfers (now) where confirmed',
]
