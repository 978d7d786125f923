import type { Cell } from '@shardwalk/cells'
import { type StackValue, walletState } from '@shardwalk/contracts'
import { ACCOUNT_STATUS } from '@shardwalk/model'
import { namedMembers } from '../named-members.ts'
import type { ExactJson } from '../v2/exact-json.ts'
import { cellText, jsonNumber } from '../v2/objects.ts'
import { shown, V2Refusal } from '../v2/refusal.ts'
import { hexOf, listItems } from '../v2/stack.ts'
import { StackBudget, type StackLimits } from '../v2/stack-budget.ts'
import type { AccountStateView } from './contract-rows.ts'
import { bocText } from './message.ts'

// Replies of the endpoints of API v3 that use lite servers.

/** Properties of an account's state that the mappings use. */
interface AccountView {
  readonly balance: bigint
  readonly code?: Cell | undefined
  readonly data?: Cell | undefined
  readonly frozenHash?: Buffer | undefined
  readonly lastTransLt: bigint
  readonly lastTransHash: Buffer
  readonly state: 'active' | 'frozen' | 'uninitialized'
}

/** `words`: the interface whose terms the status uses. */
export const toAddressInformation = (account: AccountView, words: 'v2' | 'v3') => ({
  balance: String(account.balance),
  code: account.code ? cellText(account.code) : null,
  data: account.data ? cellText(account.data) : null,
  ...lastTransaction(account),
  frozen_hash: account.frozenHash?.toString('base64') ?? null,
  status: statusOf(account, words),
})

/** Undefined when the account exists but is not a wallet. `words`: as for `toAddressInformation`. */
export function toWalletInformation(account: AccountView, words: 'v2' | 'v3') {
  const { code, data, state } = account
  const wallet = code && data ? walletState(code.hash(), data) : undefined
  if (!wallet && state !== 'uninitialized') return undefined
  return {
    balance: String(account.balance),
    ...(wallet && walletFields(wallet)),
    ...lastTransaction(account),
    status: statusOf(account, words),
  }
}

/** Columns of an indexed state that the mappings use. */
type IndexedState = Omit<AccountStateView, 'account_id' | 'methods' | 'extra_currencies' | 'state_hash'>

/** `toAddressInformation` of an indexed state. */
export const indexedAddressInformation = (row: IndexedState) => ({
  balance: String(row.balance),
  code: row.code && bocText(row.code),
  data: row.data && bocText(row.data),
  ...lastTransaction({ lastTransLt: row.lt, lastTransHash: row.last_trans_hash }),
  frozen_hash: row.frozen_hash?.toString('base64') ?? null,
  status: ACCOUNT_STATUS[row.status],
})

/** `toWalletInformation` of an indexed state. */
export function indexedWalletInformation(row: IndexedState) {
  const wallet = row.code_hash && row.data ? walletState(row.code_hash, row.data) : undefined
  const status = ACCOUNT_STATUS[row.status]
  if (!wallet && status !== 'uninit') return undefined
  return {
    balance: String(row.balance),
    ...(wallet && walletFields(wallet)),
    ...lastTransaction({ lastTransLt: row.lt, lastTransHash: row.last_trans_hash }),
    status,
  }
}

const walletFields = ({ walletType, seqno, walletId }: NonNullable<ReturnType<typeof walletState>>) => ({
  wallet_type: walletType,
  ...(seqno !== undefined && { seqno }),
  ...(walletId !== undefined && { wallet_id: jsonNumber(walletId) }),
})

const statusOf = ({ state }: AccountView, words: 'v2' | 'v3'): string =>
  words === 'v3' && state === 'uninitialized' ? 'uninit' : state

const lastTransaction = ({
  lastTransLt,
  lastTransHash,
}: Pick<AccountView, 'lastTransLt' | 'lastTransHash'>) => ({
  last_transaction_lt: String(lastTransLt),
  last_transaction_hash: lastTransHash.toString('base64'),
})

const TYPES: Readonly<Record<string, string>> = { num: 'num', cell: 'tvm.Cell', slice: 'tvm.Slice' }

/**
 * Converts arguments `{type, value}`, names in any case, to the two-element arrays of API v2; numbers are
 * texts or JSON integers. Throws `V2Refusal`.
 */
export function readStackEntries(stack: ExactJson): ExactJson {
  if (!Array.isArray(stack)) throw new V2Refusal('stack is an array of {type, value}', 'plain')
  return (stack as readonly ExactJson[]).map((entry) => {
    const fields = typeof entry === 'object' && entry !== null ? entry : {}
    const { type, value } = namedMembers(fields as Readonly<Record<string, ExactJson>>, ['type', 'value'])
    const name = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
    if (name === undefined || value === undefined || (name !== 'num' && typeof value !== 'string'))
      throw new V2Refusal(`unsupported stack parameter type: ${shown(String(type))}`, 'plain')
    return [name, value]
  })
}

const MAX_DEPTH = 256

interface GetMethodRun {
  readonly gasUsed: number
  readonly exitCode: number
  readonly stack: readonly StackValue[]
}

/** Throws `V2Refusal` for a result that is nested too deeply. */
export function toGetMethodResult({ gasUsed, exitCode, stack }: GetMethodRun, limits?: StackLimits) {
  const budget = new StackBudget(limits)
  return {
    gas_used: gasUsed,
    exit_code: exitCode,
    stack: stack.map((value) => stackEntry(value, 0, budget)),
  }
}

function stackEntry(value: StackValue, depth: number, budget: StackBudget): object {
  if (depth > MAX_DEPTH) throw new V2Refusal(`result stack depth > ${MAX_DEPTH}`, 'plain', 500)
  switch (value.type) {
    case 'int':
      return { type: 'num', value: hexOf(value.value) }
    case 'cell':
    case 'slice':
      // API v2 prints slices as cells, and so do the endpoints based on it.
      return { type: 'cell', value: budget.text(value.cell) }
    case 'null':
      return { type: 'list', value: [] }
    case 'tuple': {
      const list = listItems(value)
      const items = list ?? value.items
      return {
        type: list ? 'list' : 'tuple',
        value: items.map((item) => stackEntry(item, depth + 1, budget)),
      }
    }
    default:
      return { type: 'unsupported', value: '' }
  }
}
