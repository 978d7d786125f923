import { isDiskFull } from '@shardwalk/embedded-postgres'
import { expect, test } from 'vitest'
import { untilSpace } from './until-space.ts'

/** What PostgreSQL answers, SQLSTATE disk_full. */
const full = () => Object.assign(new Error('could not extend file'), { code: '53100' })

function attempts(failures: readonly Error[]) {
  const left = [...failures]
  const leftWhenFull: number[] = []
  const stop = new AbortController()
  const options = {
    isFull: async (error: unknown) => isDiskFull(error),
    onFull: async () => void leftWhenFull.push(left.length),
    signal: stop.signal,
  }
  const work = async () => {
    const failure = left.shift()
    if (failure) throw failure
    return 'done'
  }
  return { work, options, leftWhenFull, stop }
}

test('work that a full disk interrupts is repeated until there is space', async () => {
  const { work, options, leftWhenFull } = attempts([full(), full()])
  expect(await untilSpace(work, options)).toBe('done')
  expect(leftWhenFull).toEqual([1, 0])
})

test('any other failure ends it, and so does the end of the process', async () => {
  const other = attempts([new Error('permission denied')])
  await expect(untilSpace(other.work, other.options)).rejects.toThrow('permission denied')
  expect(other.leftWhenFull).toEqual([])
  const ended = attempts([full()])
  ended.stop.abort()
  await expect(untilSpace(ended.work, ended.options)).rejects.toThrow('could not extend file')
})
