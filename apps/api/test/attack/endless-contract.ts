import { Builder, serializeBoc } from '@shardwalk/cells'
import { type GetMethodCall, type RawGetMethodResult, TvmPool, type TvmPoolOptions } from '@shardwalk/tvm'

/** PUSHINT 0; PUSHCONT { INC }; AGAIN: counts until the gas is used up. */
const ENDLESS = serializeBoc(new Builder().storeBytes(Buffer.from('7091a4ea', 'hex')).endCell())

/** Runs endless code in place of the code of one contract. */
export class WithEndlessContract extends TvmPool {
  /** Calls of that contract. */
  endless = 0

  constructor(
    /** Raw form, lower case. */
    private readonly address: string,
    options: TvmPoolOptions,
  ) {
    super(options)
  }

  override runRaw(call: GetMethodCall): Promise<RawGetMethodResult> {
    const { workchain, hash } = call.address
    if (`${workchain}:${hash.toString('hex')}` !== this.address) return super.runRaw(call)
    this.endless++
    return super.runRaw({ ...call, code: ENDLESS })
  }
}
