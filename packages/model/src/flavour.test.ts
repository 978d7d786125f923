import { expect, test } from 'vitest'
import {
  type AccountId,
  FULL_SHARD,
  type Lt,
  MASTERCHAIN,
  type McBlockSeqno,
  masterchainId,
  type Nanotons,
  type ShardId,
  shardFromSigned,
  shardPrefixLength,
  shardToSigned,
  type Workchain,
} from './index.ts'

// What is checked here is checked by `npm run types`: each `@ts-expect-error` fails when its line compiles.

declare const account: AccountId
declare const lt: Lt
declare const amount: Nanotons
declare const shard: ShardId
declare const seqno: McBlockSeqno
declare const workchain: Workchain

/** Never called: there are no such values. */
export function swaps() {
  // @ts-expect-error an account's id is no logical time
  const a: Lt = account
  // @ts-expect-error a logical time is no amount
  const b: Nanotons = lt
  // @ts-expect-error an amount is no account
  const c: AccountId = amount
  // @ts-expect-error a workchain is no seqno
  const d = masterchainId(workchain)
  // @ts-expect-error a logical time is no shard
  const e = shardPrefixLength(lt)
  // @ts-expect-error the id is signed already
  const f = shardToSigned(shardToSigned(shard))
  // @ts-expect-error the id is unsigned already
  const g = shardFromSigned(shard)
  // @ts-expect-error a list of accounts is no list of logical times
  const h: readonly Lt[] = [account]
  // @ts-expect-error keys of a map are not swapped either
  const i = new Map<AccountId, string>().get(lt)
  // @ts-expect-error a seqno is no workchain
  const j: Workchain = seqno
  return { a, b, c, d, e, f, g, h, i, j }
}

test('literals and arithmetic have no flavour and need no cast', () => {
  const first: Lt = 1_000_000n
  const later: Lt = first + 2n
  const head: McBlockSeqno = 7
  const next: McBlockSeqno = Math.max(head, 3) + 1
  expect([later, masterchainId(next).seqno, shardToSigned(FULL_SHARD), MASTERCHAIN]).toEqual([
    1_000_002n,
    8,
    -(2n ** 63n),
    -1,
  ])
})
