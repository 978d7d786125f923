import type { Cell } from '@shardwalk/cells'
import { requestCell, type V2Address } from './kinds.ts'
import type { V2ValuesOf } from './methods.ts'
import { jsonNumber } from './objects.ts'

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
 * Reads the bags of `estimateFee`. Code without data, or the other way round, deploys nothing that runs: data
 * alone is ignored.
 */
export function readFeeRequest(values: V2ValuesOf<'estimateFee'>): FeeRequest {
  const {
    address,
    init_code: code,
    init_data: data = Buffer.alloc(0),
    ignore_chksig: ignoreSignatures,
  } = values
  const body = requestCell(values.body, 'body')
  if (!code || code.length === 0) return { address, body, ignoreSignatures }
  const init = { code: requestCell(code, 'init_code'), data: requestCell(data, 'init_data') }
  return { address, body, init, ignoreSignatures }
}
