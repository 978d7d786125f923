import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Replay, startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import type { SoakOptions } from './options.ts'

const MOVE_EVERY_MS = 200

/** The recorded chain behind a lite server, with real proofs, whose head moves until the end of the soak. */
export class Network {
  /** When the lite server had each block. Milliseconds of `performance.now()`. */
  private readonly servedAt = new Map<number, number>()
  private timer: NodeJS.Timeout | undefined

  private constructor(
    private readonly replay: Replay,
    private readonly head: SoakOptions['head'],
    /** A global config. */
    readonly config: string,
  ) {}

  static async start(head: SoakOptions['head'], folder: string): Promise<Network> {
    const replay = await startReplay({
      recording: FIXTURE_CHAIN_FOLDER,
      startSeqno: head.first,
      nonfinal: true,
    })
    const config = join(folder, 'global.config.json')
    await writeFile(config, replay.globalConfig)
    return new Network(replay, head, config)
  }

  get headSeqno(): number {
    return this.replay.chain.headSeqno
  }

  move(): void {
    const startedAt = performance.now()
    this.timer = setInterval(() => {
      const passed = ((performance.now() - startedAt) / 1_000) * this.head.perSecond
      this.replay.setSigned(this.head.first + Math.round(passed))
      const seqno = Math.min(this.head.last, this.head.first + Math.floor(passed))
      for (let next = this.headSeqno + 1; next <= seqno; next++) this.servedAt.set(next, performance.now())
      if (seqno > this.headSeqno) this.replay.setHead(seqno)
    }, MOVE_EVERY_MS)
  }

  /** For how long the lite server has had the block after `indexed`. Seconds; 0: it has none. */
  lagAfter(indexed: number): number {
    if (indexed >= this.headSeqno) return 0
    return (performance.now() - (this.servedAt.get(indexed + 1) ?? 0)) / 1_000
  }

  dropConnections(): void {
    this.replay.dropConnections()
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.replay.close()
  }
}
