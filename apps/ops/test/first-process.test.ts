import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { COMPILED_ROOT } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'

/** Signals a process that prints a line and then waits; returns what it printed and how it ended. */
async function signalled(program: string) {
  const source = `import { endOnSignals } from './scripts/lib/first-process.mjs'; ${program}
    setInterval(() => {}, 1000); console.log('waits')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { cwd: COMPILED_ROOT })
  const printed: string[] = []
  child.stdout.on('data', (data) => printed.push(String(data)))
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const [code, signal] = await once(child, 'exit')
  return { code, signal, text: printed.join('') }
}

test('the first process of a container ends on a signal before the program handles it', async () => {
  expect(await signalled('endOnSignals(1)')).toMatchObject({ code: 0, signal: null })
  expect(await signalled('endOnSignals(2)')).toMatchObject({ code: null, signal: 'SIGTERM' })
})

test('once the program handles signals, it decides', async () => {
  const own = `endOnSignals(1); process.on('SIGTERM', () => setImmediate(() => process.exit(75)))`
  expect(await signalled(own)).toMatchObject({ code: 75 })
})
