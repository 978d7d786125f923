import type { Cell } from '@shardwalk/cells'
import type { BlockId, ExtraCurrencies, RawAddress } from '@shardwalk/model'
import {
  type AccountStateAnswer,
  openProofPair,
  type ProvenAccount,
  verifyAccountState,
} from '@shardwalk/proofs'
import { type Account, loadAccount, loadShardState } from '@shardwalk/tlb'

/** State of an account at masterchain block `block`. */
export interface AccountSnapshot {
  readonly address: RawAddress
  readonly block: BlockId
  readonly shardBlock: BlockId
  /** gen_utime of the shard state, Unix seconds. */
  readonly utime: number
  /** The complete `Account` cell; undefined when the account does not exist. */
  readonly cell?: Cell
  readonly account?: Account
  readonly lastTransLt: bigint
  readonly lastTransHash: Buffer
  readonly balance: bigint
  readonly extraCurrencies?: ExtraCurrencies
  readonly code?: Cell
  readonly data?: Cell
  readonly frozenHash?: Buffer
  readonly state: 'active' | 'frozen' | 'uninitialized'
}

const NOTHING = {
  lastTransLt: 0n,
  lastTransHash: Buffer.alloc(32),
  balance: 0n,
  state: 'uninitialized',
} as const

/** Verifies and parses the answer of a lite server. Throws `ProofError`, `DecodeError`. */
export function readSnapshot(answer: AccountStateAnswer, at: BlockId, address: RawAddress): AccountSnapshot {
  const proven = verifyAccountState(answer, at, address)
  const place = { address, block: at, shardBlock: proven.shardBlock, utime: utimeOf(answer) }
  const account = proven.account && loadAccount(proven.account.cell.slice())
  if (!proven.account || !account) return { ...NOTHING, ...place }
  return { ...place, ...contentsOf(proven.account, account) }
}

function utimeOf(answer: AccountStateAnswer): number {
  const [, state] = openProofPair(answer.proof, 'account')
  return loadShardState(state.slice()).genUtime
}

function contentsOf(proven: NonNullable<ProvenAccount['account']>, account: Account) {
  const { cell, lastTransLt, lastTransHash } = proven
  const { balance, extraCurrencies, state } = account
  const init = state.status === 'active' ? state.init : undefined
  const code = init?.code?.preloadRefCell()
  const data = init?.data?.preloadRefCell()
  const frozenHash = state.status === 'frozen' ? state.stateHash : undefined
  // As in tonlib, an active account without code counts as uninitialized.
  const status = code ? 'active' : frozenHash ? 'frozen' : 'uninitialized'
  return {
    cell,
    account,
    lastTransLt,
    lastTransHash,
    balance,
    ...(extraCurrencies && { extraCurrencies }),
    ...(code && { code }),
    ...(data && { data }),
    ...(frozenHash && { frozenHash }),
    state: status,
  } as const
}
