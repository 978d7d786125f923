import type { Cell } from '@shardwalk/cells'
import { requestBag, type V2Address } from './kinds.ts'
import type { V2ValuesOf } from './methods.ts'
import { jsonNumber } from './objects.ts'
import { V2Refusal } from './refusal.ts'

interface Fees {
  readonly inFwdFee: bigint
  readonly storageFee: bigint
  readonly gasFee: bigint
  readonly fwdFee: bigint
}

/** Members of `fees`, and of the reply of API v3. */
export const feesObject = ({ inFwdFee, storageFee, gasFee, fwdFee }: Fees) => ({
  in_fwd_fee: jsonNumber(inFwdFee),
  storage_fee: jsonNumber(storageFee),
  gas_fee: jsonNumber(gasFee),
  fwd_fee: jsonNumber(fwdFee),
})

interface FeeRequest {
  readonly address: V2Address
  readonly body: Cell
  readonly init?: { readonly code: Cell; readonly data: Cell } | undefined
  readonly ignoreSignatures: boolean
}

/**
 * Limit for an external message. Source: node, `crypto/block/mc-config.h`, `SizeLimitsConfig::ExtMsgLimits`.
 */
const MAX_BYTES = 65_535
/**
 * Limit for the cells of all bags together, which are hashed and serialised in the thread that answers
 * requests.
 */
const MAX_CELLS = 2048

/** Reads bags within common limits. */
class BagReader {
  private bytes = MAX_BYTES
  private cells = MAX_CELLS

  /** Throws `V2Refusal`, which names the field. */
  read(boc: Uint8Array, name: string): Cell {
    this.bytes -= boc.length
    if (this.bytes < 0) throw tooLarge(name, `${MAX_BYTES} bytes`)
    const bag = requestBag(boc, name)
    this.cells -= bag.count
    if (this.cells < 0) throw tooLarge(name, `${MAX_CELLS} cells`)
    return bag.cell(bag.root)
  }
}

const tooLarge = (name: string, limit: string): V2Refusal =>
  new V2Refusal(`${name}: body, init_code and init_data have more than ${limit}`, 'validate')

/** Reads the bags of `estimateFee`. Code without data is not deployable and data alone is ignored. */
export function readFeeRequest(values: V2ValuesOf<'estimateFee'>): FeeRequest {
  const {
    address,
    init_code: code,
    init_data: data = Buffer.alloc(0),
    ignore_chksig: ignoreSignatures,
  } = values
  const bags = new BagReader()
  const body = bags.read(values.body, 'body')
  // Nodes take no such message, and the executor's thread ends with it.
  if (body.isExotic) throw new V2Refusal('body: an exotic cell', 'validate')
  if (!code || code.length === 0) return { address, body, ignoreSignatures }
  const init = { code: bags.read(code, 'init_code'), data: bags.read(data, 'init_data') }
  return { address, body, init, ignoreSignatures }
}
