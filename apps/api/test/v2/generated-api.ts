import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlockId } from '@shardwalk/model'
import type { Recording } from '@shardwalk/sources'
import { generatedRecording } from '@shardwalk/testkit'
import { type RunningApi, startApi } from './running-api.ts'

export type Json = Record<string, unknown>

/** API v2 over a generated chain. */
export class GeneratedApi {
  private constructor(
    private readonly folder: string,
    private readonly recording: Recording,
    private readonly api: RunningApi,
  ) {}

  static async start(...[options, chain]: ChainToServe): Promise<GeneratedApi> {
    const folder = await mkdtemp(join(tmpdir(), 'generated-'))
    const recording = await generatedRecording(folder, options, chain)
    return new GeneratedApi(folder, recording, await startApi([{ recording }]))
  }

  get base(): string {
    return this.api.base
  }

  async call<T = Json>(method: string, params: object): Promise<T> {
    const request = { method: 'POST', body: JSON.stringify({ method, params }) }
    const reply = await fetch(`${this.base}/jsonRPC`, request)
    const body = (await reply.json()) as { ok: boolean; result: T; error?: string; code?: number }
    if (!body.ok) throw new Error(`${method} ${JSON.stringify(params)}: ${body.code} ${body.error}`)
    return body.result
  }

  async close(): Promise<void> {
    await this.api.close()
    await this.recording.close()
    await rm(this.folder, { recursive: true })
  }
}

type ChainToServe = Parameters<typeof generatedRecording> extends [string, ...infer Rest] ? Rest : never

/** A block as requests name it. */
export const placeOf = ({ workchain, shard, seqno, rootHash, fileHash }: BlockId) => ({
  ...{ workchain, shard: String(BigInt.asIntN(64, shard)), seqno },
  ...{ root_hash: rootHash.toString('base64'), file_hash: fileHash.toString('base64') },
})
