import type { Slice } from '@shardwalk/cells'
import { type BlockId, formatBlockId, MASTERCHAIN, RecentMap, sameBlock } from '@shardwalk/model'
import { type ConfigParams, findConfigParam } from '@shardwalk/tlb'
import { keyBlockConfig, openSingleProof, stateConfig } from './config.ts'
import { prove, proving } from './errors.ts'
import { findOldMasterchainBlock, type ProvenState, proveStateOf } from './masterchain-state.ts'
import { openBlockProof, type ProvenBlock } from './proven-block.ts'
import { type SignatureSet, verifySignatureSet } from './signatures.ts'
import {
  type CatchainConfig,
  loadCatchainConfig,
  loadValidatorSet,
  type ValidatorSet,
  validatorSubset,
} from './validator-set.ts'

/** One step of `liteServer.partialBlockProof`. */
export type BlockLink =
  | {
      readonly kind: 'liteServer.blockLinkForward'
      readonly toKeyBlock: boolean
      readonly from: BlockId
      readonly to: BlockId
      readonly destProof: Buffer
      readonly configProof: Buffer
      readonly signatures: SignatureSet
    }
  | {
      readonly kind: 'liteServer.blockLinkBack'
      readonly toKeyBlock: boolean
      readonly from: BlockId
      readonly to: BlockId
      readonly destProof: Buffer
      readonly proof: Buffer
      readonly stateProof: Buffer
    }

/** Links from a known block towards another one. Source: lite_api.tl, `liteServer.partialBlockProof`. */
export interface PartialBlockProof {
  readonly complete: boolean
  readonly from: BlockId
  readonly to: BlockId
  readonly steps: readonly BlockLink[]
}

/** Validators that a key block appoints. */
interface Appointment {
  readonly set: ValidatorSet
  readonly catchain: CatchainConfig
}

/**
 * Key blocks whose validator sets are kept. Those of mainnet take 130 KB each, and thousands of key blocks
 * lead from the init block to the head.
 */
const MAX_APPOINTMENTS = 8

/**
 * Checks answers to `liteServer.getBlockProof` from a trusted masterchain block on. Caches the validator sets
 * of the last key blocks, so that checking a new head costs one signature set. Source: node,
 * crypto/block/check-proof.cpp.
 */
export class BlockProofChecker {
  /** The one used last is last. */
  private readonly appointments = new RecentMap<string, Appointment>(MAX_APPOINTMENTS)

  /**
   * Checks every link of a proof that must start at `trusted`. Returns the proven block (`to`) and the key
   * blocks passed, oldest first. If `complete` is false, ask again from `to`. Throws `ProofError`.
   */
  verify(
    proof: PartialBlockProof,
    trusted: BlockId,
  ): { readonly to: BlockId; readonly keyBlocks: readonly BlockId[] } {
    prove(sameBlock(proof.from, trusted), 'block proof', `starts at ${formatBlockId(proof.from)}`)
    const keyBlocks: BlockId[] = []
    let current = trusted
    proof.steps.forEach((link, i) => {
      const subject = `block proof link ${i} ${formatBlockId(link.from)} -> ${link.to.seqno}`
      prove(sameBlock(link.from, current), subject, `does not continue from ${formatBlockId(current)}`)
      prove(
        link.to.workchain === MASTERCHAIN && link.from.workchain === MASTERCHAIN,
        subject,
        'not a masterchain block',
      )
      proving(subject, () => {
        if (link.kind === 'liteServer.blockLinkForward') this.checkForward(link, subject)
        else checkBack(link, subject)
      })
      if (link.toKeyBlock && link.to.seqno > 0) keyBlocks.push(link.to)
      current = link.to
    })
    prove(
      sameBlock(current, proof.to),
      'block proof',
      `ends at ${formatBlockId(current)}, not at ${formatBlockId(proof.to)}`,
    )
    return { to: current, keyBlocks }
  }

  private checkForward(link: BlockLink & { kind: 'liteServer.blockLinkForward' }, subject: string): void {
    prove(link.to.seqno > link.from.seqno, subject, 'a forward link must go forward')
    const appointment = this.appointmentOf(link.from, link.configProof, subject)
    const destination = openBlockProof(link.destProof, link.to, `${subject} destination`)
    checkKeyFlag(destination, link, subject)
    // Former validators could sign another chain: a key block vouches for blocks up to the next one.
    const { prevKeyBlockSeqno } = destination.header
    prove(prevKeyBlockSeqno === link.from.seqno, subject, `key block ${prevKeyBlockSeqno} is left out`)
    const subset = validatorSubset({
      ...appointment,
      workchain: link.to.workchain,
      shard: link.to.shard,
      catchainSeqno: destination.header.genCatchainSeqno,
    })
    prove(
      subset.listHash === destination.header.validatorListHashShort >>> 0,
      subject,
      'the block names another validator list than the key block appoints',
    )
    verifySignatureSet(link.signatures, subset, link.to, subject)
  }

  private appointmentOf(keyBlock: BlockId, configProof: Buffer, subject: string): Appointment {
    const key = keyBlock.rootHash.toString('hex')
    const appointment =
      this.appointments.get(key) ?? loadAppointment(keyBlock, configProof, `${subject} configuration`)
    this.appointments.set(key, appointment)
    return appointment
  }
}

/** Requires a verified proof to end closer to the target, so that continuing from its end terminates. */
export function verifyProgress({ complete, from, to, steps }: PartialBlockProof, target: BlockId): void {
  if (sameBlock(to, target)) return
  prove(steps.length > 0, 'block proof', 'has no steps')
  prove(
    Math.abs(target.seqno - to.seqno) < Math.abs(target.seqno - from.seqno),
    'block proof',
    `leads from ${from.seqno} to ${to.seqno}, away from ${target.seqno}`,
  )
  prove(!complete, 'block proof', `is complete at ${formatBlockId(to)}`)
}

function loadAppointment(keyBlock: BlockId, configProof: Buffer, subject: string): Appointment {
  const config = configOf(keyBlock, configProof, subject)
  // A temporary set goes before the elected one. Source: node, crypto/block/mc-config.cpp.
  const temporary = findConfigParam(config, 35)
  return {
    set: temporary ? loadValidatorSet(temporary, 35) : loadValidatorSet(configParam(config, 34, subject)),
    catchain: loadCatchainConfig(configParam(config, 28, subject)),
  }
}

/** Config parameters with validators: those before, in office and next, each followed by temporary ones. */
const VALIDATOR_SETS = [32, 33, 34, 35, 36, 37]

/**
 * Public keys of the validators before, in office and next that a key block or the zerostate names. Throws
 * `ProofError` or `FormNotKnown`.
 */
export function validatorKeys(keyBlock: BlockId, configProof: Buffer): readonly Buffer[] {
  const subject = `validators of ${formatBlockId(keyBlock)}`
  return proving(subject, () => {
    const config = configOf(keyBlock, configProof, subject)
    return VALIDATOR_SETS.flatMap((index) => {
      const set = findConfigParam(config, index)
      return set ? loadValidatorSet(set, index).validators.map(({ publicKey }) => publicKey) : []
    })
  })
}

function configOf(keyBlock: BlockId, configProof: Buffer, subject: string): ConfigParams {
  if (keyBlock.seqno === 0)
    return stateConfig(openSingleProof(configProof, keyBlock.rootHash, subject), subject)
  const block = openBlockProof(configProof, keyBlock, subject)
  prove(block.header.keyBlock, subject, 'the source of a forward link is not a key block')
  return keyBlockConfig(block.root, subject)
}

function configParam(config: ConfigParams, index: number, subject: string): Slice {
  const param = findConfigParam(config, index)
  prove(param !== undefined, subject, `config parameter ${index} is absent`)
  return param
}

function checkBack(link: BlockLink & { kind: 'liteServer.blockLinkBack' }, subject: string): void {
  prove(link.to.seqno < link.from.seqno, subject, 'a back link must go back')
  const source = openBlockProof(link.proof, link.from, `${subject} source`)
  const state: ProvenState = proveStateOf(source, link.stateProof, `${subject} state`)
  const old = findOldMasterchainBlock(state, link.to.seqno, subject)
  prove(
    old !== undefined && sameBlock(old.id, link.to),
    subject,
    'the state lists another block of that seqno',
  )
  prove(old.isKey === link.toKeyBlock || link.to.seqno === 0, subject, 'key block flag differs')
  if (link.to.seqno > 0)
    checkKeyFlag(openBlockProof(link.destProof, link.to, `${subject} destination`), link, subject)
}

function checkKeyFlag(block: ProvenBlock, link: BlockLink, subject: string): void {
  prove(block.header.keyBlock === link.toKeyBlock, subject, 'key block flag differs')
}
