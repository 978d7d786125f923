import { BOUNCE_TYPE, DESCRIPTION_BIT, SKIP_REASON } from '@shardwalk/tlb'

/** A bit of a stored description, whose first word is little-endian. */
const bit = (name: keyof typeof DESCRIPTION_BIT, description = 'description'): string => {
  const at = DESCRIPTION_BIT[name]
  return `(get_byte(${description}, ${at >> 3}) >> ${at & 7} & 1)`
}

/** 0: the tick-tock transaction `t` is a tick, 1: a tock. */
export const isTock = (t: string): string => bit('special', `${t}.description`)

/** Why the compute phase was skipped; null: it was not, or the kind has none. */
export const skippedReason = (description: string): string =>
  `case when ${bit('compute', description)} & ${bit('skipped', description)} = 1
        then (array[${SKIP_REASON.map((name) => `'${name}'`).join(', ')}])[
          1 + ${bit('skipReason', description)} + 2 * ${bitAfter('skipReason', description)}] end`

function bitAfter(name: keyof typeof DESCRIPTION_BIT, description: string): string {
  const at = DESCRIPTION_BIT[name] + 1
  return `(get_byte(${description}, ${at >> 3}) >> ${at & 7} & 1)`
}

/** Read stored descriptions of transactions. Source of the layout: `packDescription` of packages/tlb. */
export const DESCRIPTION_FUNCTIONS = [
  {
    signature: 'analytics.varints(bytes bytea, start int, wanted int)',
    comment: 'Integers of variable length, and behind them where they end.',
    sql: `returns bigint[] language plpgsql immutable strict parallel safe as $$
        declare
          found bigint[] := '{}';
          value bigint := 0; shift int := 0; byte int; at int := start; missing int := wanted;
        begin
          while missing > 0 loop
            byte := get_byte(bytes, at);
            value := value | ((byte & 127)::bigint << shift);
            at := at + 1;
            if byte > 127 then
              shift := shift + 7;
            else
              found := found || value;
              value := 0; shift := 0; missing := missing - 1;
            end if;
          end loop;
          return found || at::bigint;
        end $$`,
  },
  {
    signature: 'analytics.fee(description bytea, kind text)',
    comment:
      'Fees in nanotons in the description of a transaction: storage, gas, action (of the messages that it ' +
      'sent, what stays with its validators), collected (these three) or forward (what messages carry on); ' +
      'null: it has no such phase.',
    sql: `returns bigint language plpgsql immutable strict parallel safe as $$
        declare
          at int := 4; n bigint[];
          stored bigint; gas bigint; acted bigint; forwarded bigint;
        begin
          if ${bit('storage')} = 1 then
            n := analytics.varints(description, at, 1 + ${bit('storageDue')});
            at := n[array_length(n, 1)];
            stored := n[1];
          end if;
          if ${bit('credit')} = 1 then
            n := analytics.varints(description, at, 1 + ${bit('creditDue')});
            at := n[array_length(n, 1)];
            if ${bit('creditDue')} = 1 then stored := coalesce(stored, 0) + n[1]; end if;
            if ${bit('creditExtra')} = 1 then
              n := analytics.varints(description, at, 1);
              n := analytics.varints(description, n[2]::int, 2 * n[1]::int);
              at := n[array_length(n, 1)];
            end if;
          end if;
          if kind = 'storage' then return stored; end if;
          if ${bit('compute')} = 1 and ${bit('skipped')} = 0 then
            n := analytics.varints(description, at, 6 + ${bit('gasCredit')} + ${bit('exitArg')});
            gas := n[1];
            at := n[array_length(n, 1)] + 64 * ${bit('vmHashes')};
          end if;
          if kind = 'gas' then return gas; end if;
          if ${bit('action')} = 1 then
            n := analytics.varints(description, at,
              5 + ${bit('fwdFees')} + ${bit('actionFees')} + ${bit('resultArg')});
            forwarded := case ${bit('fwdFees')} when 1 then n[1] else 0 end;
            acted := case ${bit('actionFees')} when 1 then n[1 + ${bit('fwdFees')}] else 0 end;
            n := analytics.varints(description,
              n[array_length(n, 1)]::int + 32 * ${bit('actionListHash')}, 2);
            at := n[3];
            forwarded := forwarded - acted;
          end if;
          if ${bit('bounce')} = 1 and get_byte(description, at) = ${BOUNCE_TYPE.indexOf('ok')} then
            n := analytics.varints(description, at + 1, 4);
            acted := coalesce(acted, 0) + n[3];
            forwarded := coalesce(forwarded, 0) + n[4];
          end if;
          return case kind when 'action' then acted when 'forward' then forwarded
            when 'collected' then coalesce(stored, 0) + coalesce(gas, 0) + coalesce(acted, 0) end;
        end $$`,
  },
] as const
