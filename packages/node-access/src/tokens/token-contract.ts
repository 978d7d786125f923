import { Builder, type Cell } from '@shardwalk/cells'
import type { StackValue } from '@shardwalk/contracts'
import { type BlockId, DecodeError, type RawAddress } from '@shardwalk/model'
import type { AccountSnapshot } from '../accounts/account-snapshot.ts'
import { NodeAccessError } from '../errors.ts'
import type { RunResult } from '../get-methods/get-methods.ts'
import type { NodeAccess } from '../node-access.ts'

/** A contract at a block. */
export interface TokenContract {
  readonly node: NodeAccess
  readonly block: BlockId
  readonly account: AccountSnapshot
}

/** The contract is not of the kind being tried. Not thrown outside of this folder. */
class AnotherKind extends Error {}

/** A contract that lacks a method fails in many ways; each failure only means that it is of another kind. */
export async function unlessAnotherKind<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof AnotherKind || error instanceof DecodeError) return undefined
    throw error
  }
}

/** Opens the contract to be examined. */
export const openContract = async (
  { node, block }: Omit<TokenContract, 'account'>,
  address: RawAddress,
): Promise<TokenContract> => ({ node, block, account: await node.accounts.at(block, address) })

/** Opens a contract that another one refers to. */
export async function openParent(child: TokenContract, address: RawAddress): Promise<TokenContract> {
  try {
    return await openContract(child, address)
  } catch (error) {
    throw error instanceof NodeAccessError && error.code === 'no_such_workchain' ? new AnotherKind() : error
  }
}

interface Call {
  readonly method: string
  readonly args?: readonly StackValue[]
}

/** Runs a get-method, whatever its exit code. */
export const tryCall = ({ node, account }: TokenContract, { method, args = [] }: Call): Promise<RunResult> =>
  node.getMethods.run({ account, method, args, isSlim: true })

/** Results of a get-method. Throws when there are fewer than `least`. */
export async function call(
  contract: TokenContract,
  { least, ...rest }: Call & { readonly least: number },
): Promise<readonly StackValue[]> {
  const { exitCode, stack } = await tryCall(contract, rest)
  if (exitCode !== 0 || stack.length < least) throw new AnotherKind()
  return stack
}

/** Throws what `unlessAnotherKind` takes for a contract of another kind. */
export const refuse = (): never => {
  throw new AnotherKind()
}

/** An integer; refuses all else, which a contract of another kind may return. */
export const intOf = (value: StackValue | undefined): bigint =>
  value?.type === 'int' ? value.value : refuse()
/** The same for a cell. */
export const cellOf = (value: StackValue | undefined): Cell =>
  value?.type === 'cell' ? value.cell : refuse()
/** A boolean of FunC: 0 is false, -1 and all else true. */
export const flagOf = (value: StackValue | undefined): boolean => intOf(value) !== 0n

/** An address in a cell or slice; undefined for `addr_none`. */
export function addressOf(value: StackValue | undefined): RawAddress | undefined {
  if (value?.type !== 'cell' && value?.type !== 'slice') return refuse()
  const slice = value.cell.slice()
  const tag = slice.loadUint(2)
  if (tag === 0) return undefined
  if (tag !== 2 || slice.loadBit()) return refuse()
  return { workchain: slice.loadInt(8), hash: slice.loadBytes(32) }
}

/** An address; refuses `addr_none`. */
export const knownAddress = (value: StackValue | undefined): RawAddress => addressOf(value) ?? refuse()

/** An address as get-methods take it: `addr_std` in a slice. */
export const addressArgument = ({ workchain, hash }: RawAddress): StackValue => ({
  type: 'slice',
  cell: new Builder().storeAddress({ workchain, hash }).endCell(),
})
