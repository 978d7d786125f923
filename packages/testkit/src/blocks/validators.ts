import { hash } from 'node:crypto'
import { AdnlKey } from '@shardwalk/adnl'
import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import {
  loadCatchainConfig,
  loadValidatorSet,
  type Validator,
  type ValidatorSubset,
  validatorSubset,
} from '@shardwalk/proofs'
import { Random } from './random.ts'

/** Keys of all validators that a generated chain may have, by public key in hex. */
const KEYS = new Map(
  Array.from({ length: 40 }, (_, i) => {
    const key = new AdnlKey(hash('sha256', `generated validator ${i + 1}`, 'buffer'))
    return [key.publicKey.toString('hex'), key] as const
  }),
)
const PUBLIC_KEYS = [...KEYS.values()].map(({ publicKey }) => publicKey)
const NO_ADDRESS = Buffer.alloc(32)

export const keyOf = ({ publicKey }: Validator): AdnlKey => KEYS.get(publicKey.toString('hex'))!

/** The first `main` sign masterchain blocks, or, if they are shuffled, as many of all. */
interface Round {
  readonly validators: readonly Validator[]
  readonly main: number
  /** In the form of `validators#11`. */
  readonly isOld?: boolean
}

interface Rules {
  /** In the form of `catchain_config_new#c2`, of which `shuffles` needs one. */
  readonly isNew: boolean
  readonly shuffles: boolean
}

/** Validators of chains in which they do not change. */
const FIRST: Round = {
  validators: PUBLIC_KEYS.slice(0, 3).map((publicKey) => ({
    ...{ publicKey, weight: 1n, adnlAddress: NO_ADDRESS },
  })),
  main: 3,
}

/** Config parameter 28. Source: block.tlb `catchain_config#c1`, `catchain_config_new#c2`. */
const catchainConfigCell = ({ isNew, shuffles }: Rules): Cell =>
  (isNew
    ? new Builder().storeUint(0xc2, 8).storeUint(0, 7).storeBit(shuffles)
    : new Builder().storeUint(0xc1, 8)
  )
    .storeUint(250, 32)
    .storeUint(250, 32)
    .storeUint(1_000, 32)
    .storeUint(7, 32)
    .endCell()

/** Config parameters 32 to 37. Source: block.tlb `validators_ext#12`, `validators#11`. */
function validatorSetCell({ validators, main, isOld = false }: Round): Cell {
  const builder = new Builder()
    .storeUint(isOld ? 0x11 : 0x12, 8)
    .storeUint(0, 32)
    .storeUint(0xffff_ffff, 32)
  builder.storeUint(validators.length, 16).storeUint(main, 16)
  const list = buildDict(
    validators.map((one, i) => [i, validatorDescr(one)] as const),
    16,
  )!
  if (isOld) return builder.storeCell(list).endCell()
  const weight = validators.reduce((sum, one) => sum + one.weight, 0n)
  return builder.storeUint(weight, 64).storeMaybeRef(list).endCell()
}

/** block.tlb `validator#53`, `validator_addr#73`. */
function validatorDescr({ publicKey, weight, adnlAddress }: Validator): Builder {
  const hasAddress = !adnlAddress.equals(NO_ADDRESS)
  const builder = new Builder().storeUint(hasAddress ? 0x73 : 0x53, 8).storeUint(0x8e81278a, 32)
  builder.storeBytes(publicKey).storeUint(weight, 64)
  return hasAddress ? builder.storeBytes(adnlAddress) : builder
}

/**
 * Who signs the blocks of a chain. If its validators change, they do so where networks change them: a key
 * block ends a round, puts temporary validators in office, or has other rules for who of them signs; and the
 * catchain seqno grows then and in between.
 */
export class ValidatorRounds {
  private readonly random: Random
  private rules: Rules = { isNew: false, shuffles: false }
  private former: Round | undefined
  private elected = FIRST
  private next: Round | undefined
  private temporary: Round | undefined
  private catchainSeqno = 2

  /** `changes`: chance that a key block changes anything. */
  constructor(
    seed: number,
    private readonly changes = 0,
  ) {
    this.random = new Random(seed + 3_000_000)
  }

  /** Validators who sign the blocks of a shard, as the last key block and the last block say. */
  subset(workchain = MASTERCHAIN, shard = FULL_SHARD): ValidatorSubset {
    return validatorSubset({
      set: loadValidatorSet(validatorSetCell(this.temporary ?? this.elected).slice()),
      catchain: loadCatchainConfig(catchainConfigCell(this.rules).slice()),
      ...{ workchain, shard, catchainSeqno: this.catchainSeqno },
    })
  }

  /** After a masterchain block, before its state. */
  proceed({ isKeyBlock }: { readonly isKeyBlock: boolean }): void {
    if (this.changes === 0) return
    if (isKeyBlock && this.random.chance(this.changes)) this.change()
    else if (this.random.chance(0.2)) this.catchainSeqno++
  }

  private change(): void {
    const { random } = this
    const what = random.pick(['round', 'round', 'round', 'temporary', 'rules'] as const)
    if (what === 'rules') this.rules = { isNew: true, shuffles: !this.rules.shuffles }
    else if (what === 'temporary') this.temporary = this.temporary ? undefined : this.randomRound()
    else if (!this.next) this.next = this.randomRound()
    else {
      this.former = this.elected
      this.elected = this.next
      this.next = undefined
    }
    this.catchainSeqno++
  }

  private randomRound(): Round {
    const { random } = this
    const count = random.between(1, 9)
    const bits = random.pick([1, 8, 57])
    const first = random.below(PUBLIC_KEYS.length)
    const validators = Array.from({ length: count }, (_, i) => ({
      publicKey: PUBLIC_KEYS[(first + i * 7) % PUBLIC_KEYS.length]!,
      weight: 1n + random.big(bits),
      adnlAddress: random.chance(0.5) ? random.hash() : NO_ADDRESS,
    }))
    return { validators, main: random.between(1, count), isOld: random.chance(0.2) }
  }

  /**
   * The config parameters about validators. `hasNewerForms`: as in chains whose validators do not change,
   * with the same validators in every form.
   */
  params({ hasNewerForms = false } = {}): readonly (readonly [number, Cell])[] {
    const { former, elected, next, rules } = this
    const isNew = rules.isNew || hasNewerForms
    const temporary = this.temporary ?? (hasNewerForms ? { ...elected, isOld: true } : undefined)
    const sets = [
      [32, former],
      [34, elected],
      [35, temporary],
      [36, next],
    ] as const
    return [
      [28, catchainConfigCell({ ...rules, isNew })],
      ...sets.flatMap(([index, set]) => (set ? [[index, validatorSetCell(set)] as const] : [])),
    ]
  }
}
