import type { RawAddress } from '@shardwalk/model'
import { methodId } from '../get-methods/method-id.ts'
import type { StackValue } from '../get-methods/stack.ts'

/** A contract at one masterchain block: active, with code and data. */
export interface ContractState {
  readonly address: RawAddress
  /** Hash of the code cell as stored; of the library cell when the code is one. */
  readonly codeHash: Buffer
  readonly dataHash: Buffer
  /** Ids of its get-methods; undefined when they cannot be read from the code: then every method is tried. */
  readonly methods: ReadonlySet<number> | undefined
}

/** What detection needs from outside. All answers refer to the same masterchain block. */
export interface ContractReader {
  /**
   * Results of a get-method, bottom of the stack first; undefined when it throws, runs out of gas or cannot
   * be run.
   */
  run(
    contract: ContractState,
    method: string,
    args?: readonly StackValue[],
  ): Promise<readonly StackValue[] | undefined>
  /** Undefined when there is no active contract at the address. */
  find(address: RawAddress): Promise<ContractState | undefined>
}

/** Same as `reader.run`, but returns undefined at once when the code is known to lack the method. */
export function callMethod(
  reader: ContractReader,
  contract: ContractState,
  method: string,
  args?: readonly StackValue[],
): Promise<readonly StackValue[] | undefined> {
  if (contract.methods && !contract.methods.has(methodId(method))) return Promise.resolve(undefined)
  return reader.run(contract, method, args)
}
