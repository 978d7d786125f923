import type { RawAddress } from '@shardwalk/model'
import { methodId } from '../get-methods/method-id.ts'
import type { StackValue } from '../get-methods/stack.ts'

/** A contract as of one masterchain block: active, with code and data. */
export interface ContractState {
  readonly address: RawAddress
  /** Hash of the code cell as stored (of the library cell when the code is one). */
  readonly codeHash: Buffer
  readonly dataHash: Buffer
  /** Ids of its get-methods; undefined when the code tells none: every method is tried then. */
  readonly methods: ReadonlySet<number> | undefined
}

/** What the rules need from outside. All answers belong to the same masterchain block. */
export interface ContractReader {
  /** Results of a get-method, bottom first; undefined when it throws, runs out of gas or cannot be run. */
  run(
    contract: ContractState,
    method: string,
    args?: readonly StackValue[],
  ): Promise<readonly StackValue[] | undefined>
  /** Undefined when there is no active contract. */
  find(address: RawAddress): Promise<ContractState | undefined>
}

/** As `reader.run`, without asking when the code is known not to have the method. */
export function callMethod(
  reader: ContractReader,
  contract: ContractState,
  method: string,
  args?: readonly StackValue[],
): Promise<readonly StackValue[] | undefined> {
  if (contract.methods && !contract.methods.has(methodId(method))) return Promise.resolve(undefined)
  return reader.run(contract, method, args)
}
