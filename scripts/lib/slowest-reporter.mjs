import { relative } from 'node:path'

const SHOWN = 10

/** Reporter for vitest that prints the files that took longest, each with its slowest test. */
export default class SlowestReporter {
  onTestRunEnd(modules) {
    const timed = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      const tests = [...module.children.allTests()]
      const slowest = tests.sort((a, b) => durationOf(b) - durationOf(a))[0]
      return { file: relative(process.cwd(), module.moduleId), ms: collectDuration + duration, slowest }
    })
    console.log(`\nThe ${SHOWN} slowest files, imports and hooks included, each with its slowest test:`)
    for (const { file, ms, slowest } of timed.sort((a, b) => b.ms - a.ms).slice(0, SHOWN)) {
      console.log(`${seconds(ms).padStart(8)}  ${file}`)
      if (slowest) console.log(`${''.padStart(10)}${seconds(durationOf(slowest))}  ${slowest.name}`)
    }
  }
}

const durationOf = (test) => test.diagnostic()?.duration ?? 0
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
