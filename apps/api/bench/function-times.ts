import { type Profiler, Session } from 'node:inspector/promises'

const INTERVAL_US = 200

/** Time that this process spends in functions of a file and what they call, by the sampling profiler. */
export class FunctionTimes {
  private constructor(private readonly session: Session) {}

  static async start(): Promise<FunctionTimes> {
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
    return new FunctionTimes(session)
  }

  /** Milliseconds in functions of files with `path` in theirs while `work` runs. */
  async during(path: string, work: () => Promise<void>): Promise<number> {
    await this.session.post('Profiler.start')
    await work()
    const { profile } = await this.session.post('Profiler.stop')
    return millisecondsIn(profile, path)
  }
}

function millisecondsIn({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, path: string): number {
  const inside = new Set<number>()
  const visit = (ids: readonly number[], isInside: boolean): void => {
    for (const id of ids) {
      const node = byId.get(id)!
      const isHere = isInside || node.callFrame.url.includes(path)
      if (isHere) inside.add(id)
      visit(node.children ?? [], isHere)
    }
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  visit([nodes[0]!.id], false)
  let sum = 0
  for (const [at, id] of samples.entries()) if (inside.has(id)) sum += timeDeltas[at]!
  return sum / 1000
}
