import { type Cell, lookup, parseRoot } from '@shardwalk/cells'
import { type BlockId, sameBlock } from '@shardwalk/model'
import { skipCurrencyCollection } from '@shardwalk/tlb'
import { openSingleProof } from './config.ts'
import { prove, proving } from './errors.ts'
import { proveStateOf } from './masterchain-state.ts'
import { provenBlock } from './proven-block.ts'

/** Fields of `liteServer.libraryResultWithProof` used by the check. */
export interface LibrariesAnswer {
  readonly id: BlockId
  readonly result: readonly { readonly hash: Buffer; readonly data: Buffer }[]
  readonly stateProof: Buffer
  readonly dataProof: Buffer
}

/**
 * The public library with this hash as of masterchain block `at`; undefined if the state is proven not to
 * have it. The answer must be for a query that includes the hash. Throws `ProofError`.
 * Source: block.tlb `shared_lib_descr$00 lib:^Cell publishers:(Hashmap 256 True)`.
 */
export function verifyLibrary(answer: LibrariesAnswer, at: BlockId, hash: Buffer): Cell | undefined {
  const subject = `library ${hash.toString('hex')}`
  prove(sameBlock(answer.id, at), subject, 'the answer is for another block')
  const block = provenBlock(openSingleProof(answer.stateProof, at.rootHash, subject), at, subject)
  const { root } = proveStateOf(block, answer.dataProof, subject)
  const given = answer.result.find((entry) => entry.hash.equals(hash))
  return proving(subject, () => {
    const rest = root.slice().skipRefs(2).loadRefSlice().skip(128)
    skipCurrencyCollection(rest)
    skipCurrencyCollection(rest)
    const libraries = rest.loadMaybeRefSlice()
    const isThere = libraries !== undefined && lookup(libraries, 256, hash) !== undefined
    prove(isThere === (given !== undefined), subject, 'the answer and its proof differ')
    if (!given) return undefined
    const cell = parseRoot(given.data)
    prove(cell.hash().equals(hash), subject, 'another cell than asked for')
    return cell
  })
}
