import { codeHashOf } from '../interfaces/code-hashes.ts'
import { methodId } from './method-id.ts'

/** Get-methods of contracts whose code has no dictionary of them. */
const METHODS = new Map([
  // ton-blockchain/tg-wallet-contract: the code that the configuration has, where the account's jumps to.
  [codeHashOf('tg_wallet'), ['get_public_key', 'get_subwallet_id', 'revision', 'seqno']],
])

const IDS = new Map([...METHODS].map(([hash, names]) => [hash, names.map(methodId).sort((a, b) => a - b)]))

/** Ascending ids of the get-methods of known code from which `methodIdsOf` cannot read them. */
export const unlistedMethodIds = (codeHash: Uint8Array): readonly number[] | undefined =>
  IDS.get(Buffer.from(codeHash).toString('base64'))
