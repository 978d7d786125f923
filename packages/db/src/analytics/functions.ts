import { UNPACK_IN_SQL } from '../actions/packed-details.ts'
import { DESCRIPTION_FUNCTIONS } from './description-functions.ts'

/**
 * Functions that people and views use. `analytics.address_text` is made by a migration, because an index
 * depends on it. Bodies name schemas, so that no search_path changes what they mean.
 */
export const FUNCTIONS: readonly {
  readonly signature: string
  readonly comment: string
  readonly sql: string
}[] = [
  {
    signature: 'analytics.units(raw numeric, decimals int)',
    comment: 'An amount in whole units, exact: units(1500000, 6) is 1.500000.',
    sql: `returns numeric language sql immutable strict parallel safe
        as $$ select (raw::text || 'e-' || decimals::text)::numeric $$`,
  },
  {
    signature: 'analytics.decimals_of(given text)',
    comment: 'The number in an attribute "decimals"; null unless it is one from 0 to 255.',
    sql: `returns int language sql immutable strict parallel safe
        as $$ select case when given ~ '^[0-9]{1,3}$' and given::int <= 255 then given::int end $$`,
  },
  {
    signature: 'analytics.time_of(seconds bigint)',
    comment: 'The time of Unix seconds that a contract gives; null before 1970 and after the year 9999.',
    sql: `returns timestamptz language sql immutable strict parallel safe
        as $$ select case when seconds between 0 and 253402300799 then to_timestamp(seconds) end $$`,
  },
  ...DESCRIPTION_FUNCTIONS,
  {
    signature: 'analytics.action_details(stored json, addresses text[])',
    comment: 'Fields of an action: `actions.details` with the addresses of `account_ids` in place.',
    sql: UNPACK_IN_SQL,
  },
  {
    signature: 'analytics.hash(given text)',
    comment: 'The 32 bytes of a hash in base64, base64url or hex, to compare with a column hash_bytes.',
    sql: `returns bytea language plpgsql immutable strict parallel safe as $$
        begin
          if given ~ '^(0x)?[0-9A-Fa-f]{64}$' then
            return decode(right(given, 64), 'hex');
          elsif given ~ '^[0-9A-Za-z+/_-]{43}=?$' then
            return decode(left(translate(given, '-_', '+/'), 43) || '=', 'base64');
          end if;
          raise exception 'not a hash: %; give 64 hex digits or 44 characters of base64', given
            using errcode = 'invalid_parameter_value';
        end $$`,
  },
  {
    signature: 'analytics.pieces(trace text)',
    comment: 'Pieces of a trace: transactions where piece in (select analytics.pieces(...)) uses an index.',
    sql: `returns setof bigint language sql stable strict rows 4 set search_path from current
        as $$ select pieces_of_trace(r.piece) from traces r where r.trace_id = analytics.hash(trace) $$`,
  },
  {
    signature: 'analytics.uint_at(bytes bytea, at int, size int)',
    comment: 'A big-endian number of size bytes.',
    sql: `returns int language plpgsql immutable strict parallel safe as $$
        declare
          total int := 0;
        begin
          for i in at .. at + size - 1 loop
            total := total * 256 + get_byte(bytes, i);
          end loop;
          return total;
        end $$`,
  },
  {
    signature: 'analytics.crc16(bytes bytea)',
    comment: 'CRC16-CCITT (XMODEM), the checksum of user-friendly addresses.',
    sql: `returns int language plpgsql immutable strict parallel safe as $$
        declare
          crc int := 0;
        begin
          for i in 0 .. length(bytes) - 1 loop
            crc := crc # (get_byte(bytes, i) << 8);
            for bit in 1 .. 8 loop
              crc := case when crc & 32768 <> 0 then (crc << 1) # 4129 else crc << 1 end & 65535;
            end loop;
          end loop;
          return crc;
        end $$`,
  },
  {
    signature: 'analytics.address(given text)',
    comment: 'The address as the views show it, from any form: raw, or user-friendly in either alphabet.',
    sql: `returns text language plpgsql immutable strict parallel safe as $$
        declare
          bytes bytea;
        begin
          if given ~ '^-?[0-9]+:[0-9A-Fa-f]{64}$' then
            return split_part(given, ':', 1)::int::text || ':' || upper(split_part(given, ':', 2));
          elsif given ~ '^[0-9A-Za-z+/_-]{48}$' then
            bytes := decode(translate(given, '-_', '+/'), 'base64');
            if analytics.uint_at(bytes, 34, 2) = analytics.crc16(substring(bytes from 1 for 34)) then
              return (case when get_byte(bytes, 1) > 127 then get_byte(bytes, 1) - 256
                else get_byte(bytes, 1) end)::text
                || ':' || upper(encode(substring(bytes from 3 for 32), 'hex'));
            end if;
          end if;
          raise exception 'not an address: %', given using errcode = 'invalid_parameter_value';
        end $$`,
  },
  {
    signature:
      'analytics.address_friendly(raw text, bounceable bool default true, testnet bool default false)',
    comment:
      'The user-friendly form of a raw address, as wallets show it: EQ... or, not bounceable, UQ...; the ' +
      'raw form if the workchain has more than one byte.',
    sql: `returns text language plpgsql immutable strict parallel safe as $$
        declare
          workchain int := split_part(raw, ':', 1)::int;
          bytes bytea := decode(lpad(to_hex((case when bounceable then 17 else 81 end)
              + (case when testnet then 128 else 0 end)), 2, '0')
            || lpad(to_hex(workchain & 255), 2, '0') || split_part(raw, ':', 2), 'hex');
        begin
          if workchain not between -128 and 127 then return analytics.address(raw); end if;
          bytes := bytes || decode(lpad(to_hex(analytics.crc16(bytes)), 4, '0'), 'hex');
          return translate(encode(bytes, 'base64'), '+/', '-_');
        end $$`,
  },
  {
    signature: 'analytics.mint_amount(body bytea)',
    comment:
      'The amount in a body that brings tokens to a jetton wallet (opcode, query_id, amount), a bag of ' +
      'cells; null for other layouts.',
    sql: `returns numeric language plpgsql immutable strict parallel unsafe as $$
        declare
          size int; root int; at int; digits text;
        begin
          if substring(body from 1 for 4) <> '\\xb5ee9c72' then return null; end if;
          size := get_byte(body, 4) & 7;
          at := 6 + 3 * size + get_byte(body, 5);
          root := analytics.uint_at(body, at, size);
          at := at + analytics.uint_at(body, 6 + size, size) * size
            + case when get_byte(body, 4) & 128 <> 0
                then analytics.uint_at(body, 6, size) * get_byte(body, 5) else 0 end;
          for i in 1 .. root loop
            at := at + 2 + (get_byte(body, at + 1) + 1) / 2 + (get_byte(body, at) & 7) * size;
          end loop;
          digits := encode(substring(body from at + 3 for (get_byte(body, at + 1) + 1) / 2), 'hex');
          -- VarUInteger 16: the number of bytes in four bits, then the bytes.
          size := 2 * (get_byte(body, at + 14) >> 4);
          if length(digits) < 25 + size then return null; end if;
          digits := lpad(substring(digits from 26 for size), 30, '0');
          return ('x' || left(digits, 15))::bit(60)::bigint * 1152921504606846976::numeric
            + ('x' || right(digits, 15))::bit(60)::bigint;
        exception
          when array_subscript_error or numeric_value_out_of_range or substring_error then return null;
        end $$`,
  },
  {
    signature: 'analytics.comment_text(body bytea)',
    comment:
      'The text of a body with opcode 0, a bag of cells; null for other bodies and invalid UTF-8. NUL is ' +
      'left out, which PostgreSQL cannot store.',
    sql: `returns text language plpgsql immutable strict parallel unsafe as $$
        declare
          size int; cells int; at int; current int; refs int; bits int;
          starts int[] := '{}';
          bytes bytea := '';
        begin
          if substring(body from 1 for 4) <> '\\xb5ee9c72' then return null; end if;
          size := get_byte(body, 4) & 7;
          cells := analytics.uint_at(body, 6, size);
          if cells > 1000 then return null; end if;
          at := 6 + 3 * size + get_byte(body, 5);
          current := analytics.uint_at(body, at, size);
          at := at + analytics.uint_at(body, 6 + size, size) * size
            + case when get_byte(body, 4) & 128 <> 0 then cells * get_byte(body, 5) else 0 end;
          for i in 1 .. cells loop
            starts := starts || at;
            if get_byte(body, at) & 24 <> 0 then return null; end if;
            at := at + 2 + (get_byte(body, at + 1) + 1) / 2 + (get_byte(body, at) & 7) * size;
          end loop;
          if substring(body from starts[current + 1] + 3 for 4) <> '\\x00000000' then return null; end if;
          -- A text is written into a cell and continued in its only reference.
          for i in 1 .. cells loop
            at := starts[current + 1];
            refs := get_byte(body, at) & 7;
            bits := get_byte(body, at + 1);
            if bits & 1 = 1 then return null; end if;
            bytes := bytes || substring(body from at + case when i = 1 then 7 else 3 end
              for bits / 2 - case when i = 1 then 4 else 0 end);
            exit when refs = 0;
            current := analytics.uint_at(body, at + 2 + bits / 2, size);
          end loop;
          if position('\\x00'::bytea in bytes) > 0 then
            select coalesce(string_agg(substring(bytes from i for 1), ''::bytea order by i), '') into bytes
            from generate_series(1, length(bytes)) i where get_byte(bytes, i - 1) <> 0;
          end if;
          return convert_from(bytes, 'UTF8');
        exception
          when character_not_in_repertoire or untranslatable_character or array_subscript_error
            or numeric_value_out_of_range or substring_error then return null;
        end $$`,
  },
]
