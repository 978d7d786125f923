import { EMPTY_CELL } from '@shardwalk/cells'
import { DecodeError, type TransactionDescription } from '@shardwalk/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packDescription, unpackDescription } from '../src/index.ts'

const coins = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 12n }),
  fc.bigInt({ min: 0n, max: (1n << 120n) - 1n }),
)
const small = fc.bigInt({ min: 0n, max: (1n << 56n) - 1n })
const int32 = fc.integer({ min: -0x80000000, max: 0x7fffffff })
const uint32 = fc.integer({ min: 0, max: 0xffffffff })
const uint16 = fc.integer({ min: 0, max: 0xffff })
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))
const vmHash = fc.oneof(fc.constant(Buffer.alloc(32)), bytes32)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const statusChange = fc.constantFrom('unchanged', 'frozen', 'deleted')
const storageUsed = fc.record({ cells: small, bits: small })
const currencies = fc
  .uniqueArray(fc.tuple(uint32, fc.bigInt({ min: 0n, max: (1n << 248n) - 1n })), {
    minLength: 1,
    maxLength: 3,
    selector: ([id]) => id,
  })
  .map((entries) => new Map(entries))

const storagePhase = fc.record({ storageFeesCollected: coins, storageFeesDue: maybe(coins), statusChange })
const creditPhase = fc.record({
  dueFeesCollected: maybe(coins),
  credit: coins,
  creditExtraCurrencies: maybe(currencies),
})
const computePhase = fc.oneof(
  fc.record({
    skipped: fc.constant(true),
    reason: fc.constantFrom('no_state', 'bad_state', 'no_gas', 'suspended'),
  }),
  fc.record({
    skipped: fc.constant(false),
    success: fc.boolean(),
    msgStateUsed: fc.boolean(),
    accountActivated: fc.boolean(),
    gasFees: coins,
    gasUsed: small,
    gasLimit: small,
    gasCredit: maybe(fc.bigInt({ min: 0n, max: 0xffffffn })),
    mode: fc.integer({ min: -128, max: 127 }),
    exitCode: int32,
    exitArg: maybe(int32),
    vmSteps: uint32,
    vmInitStateHash: vmHash,
    vmFinalStateHash: vmHash,
  }),
)
const actionPhase = fc.record({
  success: fc.boolean(),
  valid: fc.boolean(),
  noFunds: fc.boolean(),
  statusChange,
  totalFwdFees: maybe(coins),
  totalActionFees: maybe(coins),
  resultCode: int32,
  resultArg: maybe(int32),
  totActions: uint16,
  specActions: uint16,
  skippedActions: uint16,
  msgsCreated: uint16,
  actionListHash: fc.oneof(fc.constant(EMPTY_CELL.hash()), bytes32),
  totMsgSize: storageUsed,
})
const bouncePhase = fc.oneof(
  fc.record({ type: fc.constant('negfunds') }),
  fc.record({ type: fc.constant('nofunds'), msgSize: storageUsed, reqFwdFees: coins }),
  fc.record({ type: fc.constant('ok'), msgSize: storageUsed, msgFees: coins, fwdFees: coins }),
)
const byte6 = fc.nat({ max: 63 })
const splitInfo = fc.record({
  curShardPfxLen: byte6,
  accSplitDepth: byte6,
  thisAddr: bytes32,
  siblingAddr: bytes32,
})
const flag = fc.boolean()
const vmTail = { computePhase, actionPhase: maybe(actionPhase), aborted: flag, destroyed: flag }

const description = fc.oneof(
  fc.record({
    kind: fc.constant('ord'),
    creditFirst: flag,
    storagePhase: maybe(storagePhase),
    creditPhase: maybe(creditPhase),
    ...vmTail,
    bouncePhase: maybe(bouncePhase),
  }),
  fc.record({ kind: fc.constant('storage'), storagePhase }),
  fc.record({ kind: fc.constant('tick_tock'), isTock: flag, storagePhase, ...vmTail }),
  fc.record({ kind: fc.constant('split_prepare'), splitInfo, storagePhase: maybe(storagePhase), ...vmTail }),
  fc.record({ kind: fc.constant('split_install'), splitInfo, installed: flag }),
  fc.record({ kind: fc.constant('merge_prepare'), splitInfo, storagePhase, aborted: flag }),
  fc.record({
    kind: fc.constant('merge_install'),
    splitInfo,
    storagePhase: maybe(storagePhase),
    creditPhase: maybe(creditPhase),
    ...vmTail,
  }),
) as fc.Arbitrary<TransactionDescription>

test('a packed description of any kind unpacks to what it was', () => {
  fc.assert(
    fc.property(description, (value) => {
      expect(unpackDescription(packDescription(value))).toEqual(value)
    }),
    { numRuns: 3000 },
  )
})

test('damaged bytes are refused with a DecodeError or read as some description', () => {
  fc.assert(
    fc.property(description, fc.nat(), fc.nat({ max: 255 }), fc.nat({ max: 40 }), (value, at, byte, cut) => {
      const bytes = packDescription(value)
      const damaged = Buffer.from(bytes.subarray(0, Math.max(0, bytes.length - cut)))
      if (damaged.length > 0) damaged[at % damaged.length] = byte
      try {
        unpackDescription(damaged)
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError)
      }
    }),
    { numRuns: 2000 },
  )
})
