import { openBlock } from '@shardwalk/blocks'
import { Builder, type Cell, EMPTY_CELL, forEachLeaf, loadDictRoot, parseBoc } from '@shardwalk/cells'
import type { DecodedTransaction, RawBlock } from '@shardwalk/model'
import {
  type ConfigParams,
  findConfigParam,
  forEachShardAccount,
  loadConfigParams,
  loadMcBlockExtra,
  loadShardStateRest,
  loadStateConfig,
  loadTransaction,
  skipCurrencyCollection,
} from '@shardwalk/tlb'
import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageFees } from './emulation-fees.ts'
import { type TvmEnvironment, TvmPool } from './index.ts'

/** Accounts whose whole history is run again. */
const ACCOUNTS = 120

interface Recorded {
  readonly transaction: Cell
  readonly decoded: DecodedTransaction
  /** `rand_seed` of the block. */
  readonly seed: Buffer
  /** Key block whose configuration holds in the block. */
  readonly keyBlock: number
}
