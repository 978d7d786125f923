import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Recorded traffic between nodes: the objects of a file of `fixtures/p2p`. */
export const peerFixture = <T>(name: string): T[] =>
  gunzipSync(readFileSync(`fixtures/p2p/${name}.jsonl.gz`))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

/** A clock that a test moves. */
export class TestClock {
  private ms = 0

  /** `startedAt`: Unix seconds. */
  constructor(private readonly startedAt = 1_795_322_000) {}

  now(): number {
    return this.ms
  }

  unixTime(): number {
    return this.startedAt + this.ms / 1_000
  }

  advance(ms: number): void {
    this.ms += ms
  }
}
