import type { V2MethodName } from '@shardwalk/api-schema'
import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import type { Json } from '../core-reading.ts'
import { type RunningApi, startApi, warmUp } from '../running-api.ts'

/** API v2 over the recorded chain, compared with what a real node said of it. */
export class ComparedNode {
  /** Methods that were called. */
  readonly asked = new Set<string>()

  private constructor(
    readonly api: RunningApi,
    readonly recording: Recording,
  ) {}

  static async start(): Promise<ComparedNode> {
    const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
    const api = await startApi()
    await warmUp(api)
    return new ComparedNode(api, recording)
  }

  async close(): Promise<void> {
    await this.api.close()
    await this.recording.close()
  }

  async call<T = Json>(method: V2MethodName, params: object): Promise<T> {
    this.asked.add(method)
    const reply = await fetch(`${this.api.base}/jsonRPC`, {
      method: 'POST',
      body: JSON.stringify({ method, params }),
    })
    const body = (await reply.json()) as { ok: boolean; result: T; error?: string; code?: number }
    if (!body.ok) throw new Error(`${method} ${JSON.stringify(params)}: ${body.code} ${body.error}`)
    return body.result
  }
}

export const rawAddress = ({ workchain, id }: { workchain: number; id: Buffer }) =>
  `${workchain}:${id.toString('hex')}`
export const signed = (shard: bigint): string => String(BigInt.asIntN(64, shard))
export interface Id {
  readonly workchain: number
  readonly shard: bigint
  readonly seqno: number
  readonly rootHash: Buffer
  readonly fileHash: Buffer
}
export const shownId = ({ workchain, shard, seqno, rootHash, fileHash }: Id) => ({
  '@type': 'ton.blockIdExt',
  workchain,
  shard: signed(shard),
  seqno,
  root_hash: rootHash.toString('base64'),
  file_hash: fileHash.toString('base64'),
})
