import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { isRunning, OwnerLock } from './owner-lock.ts'

const cleaning: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleaning.splice(0)) await clean()
})

const stat = (pid: number): readonly string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

async function lineOf(child: ChildProcess): Promise<number> {
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  return Number(line.toString())
}

/** A process that was killed and that its parent, which runs on, never waits for. */
async function zombie(): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  cleaning.push(() => parent.kill('SIGKILL'))
  const pid = await lineOf(parent)
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'latin1').trim()).toBe('sleep')
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => stat(pid)[0]).toBe('Z')
  return pid
}

async function lockPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-lock-'))
  cleaning.push(() => rm(folder, { recursive: true }))
  return join(folder, 'lock')
}

describe.skipIf(process.platform !== 'linux')(
  'a process that was killed and still waits for its parent',
  () => {
    test('does not run', async () => {
      const pid = await zombie()
      expect(() => process.kill(pid, 0)).not.toThrow()
      expect(isRunning(pid)).toBe(false)
      expect(isRunning(process.pid)).toBe(true)
    })

    test('holds no lock: a start right after is not refused', async () => {
      const pid = await zombie()
      const path = await lockPath()
      await writeFile(path, `${pid} ${stat(pid)[19]}`)
      const lock = await OwnerLock.acquire(path)
      expect(lock).toBeDefined()
      // This process holds it now.
      expect(await OwnerLock.acquire(path)).toBeUndefined()
      await lock!.release()
    })
  },
)

test('a lock whose file cannot be removed is released without an error', async () => {
  const path = await lockPath()
  const lock = await OwnerLock.acquire(path)
  await rm(path)
  await mkdir(path)
  await lock!.release()
  expect(statSync(path).isDirectory()).toBe(true)
})

test('a later process with the same id does not hold the lock of an earlier one', async () => {
  const path = await lockPath()
  await writeFile(path, `${process.pid} 1`)
  expect(await OwnerLock.acquire(path)).toBeDefined()
})

describe('a lock of a process in another container, where pids mean other processes', () => {
  const foreign = `${process.pid} 1 pid:[1] 00000000-0000-0000-0000-000000000000`

  test('is held as long as its file is touched', async () => {
    const path = await lockPath()
    await writeFile(path, foreign)
    let seconds = 1_000
    const touching = setInterval(() => void utimes(path, ++seconds, seconds).catch(() => {}), 20)
    cleaning.push(() => clearInterval(touching))
    expect(await OwnerLock.acquire(path, { watchMs: 600_000 })).toBeUndefined()
    expect(readFileSync(path, 'utf8')).toBe(foreign)
  })

  test('is free when its file has not been touched for a while', async () => {
    const path = await lockPath()
    await writeFile(path, foreign)
    const lock = await OwnerLock.acquire(path, { watchMs: 50 })
    expect(lock).toBeDefined()
    await lock!.release()
  })
})

describe('the file of a lock in a copy of its folder, whose original is held by a process that runs', () => {
  async function heldAndCopied() {
    const [path, copy] = [await lockPath(), await lockPath()]
    const original = await OwnerLock.acquire(path)
    cleaning.push(() => original!.release())
    await copyFile(path, copy)
    return { path, copy }
  }

  test('holds nothing, and is told from an original', async () => {
    const { path, copy } = await heldAndCopied()
    const lock = await OwnerLock.acquire(copy, { watchMs: 50 })
    expect(lock?.foundCopy).toBe(true)
    for (const held of [path, copy]) expect(await OwnerLock.acquire(held)).toBeUndefined()
    await lock!.release()
    const again = await OwnerLock.acquire(copy)
    expect(again?.foundCopy).toBe(false)
    await again!.release()
  })

  test('holds if it is touched: the file system has numbered the original anew', async () => {
    const { copy } = await heldAndCopied()
    let seconds = Date.now() / 1_000 + 60
    await utimes(copy, seconds, seconds)
    const touching = setInterval(() => void utimes(copy, ++seconds, seconds).catch(() => {}), 20)
    cleaning.push(() => clearInterval(touching))
    expect(await OwnerLock.acquire(copy, { watchMs: 600_000 })).toBeUndefined()
  })

  test('holds if what is locked must not be used twice', async () => {
    const { copy } = await heldAndCopied()
    expect(await OwnerLock.acquire(copy, { watchMs: 50, withCopies: true })).toBeUndefined()
  })
})

test('of a process elsewhere that held several locks and has ended, one is watched', async () => {
  const foreign = '7 1 pid:[1] 00000000-0000-0000-0000-000000000001'
  const paths = [await lockPath(), await lockPath()] as const
  for (const path of paths) await writeFile(path, foreign)
  expect(await OwnerLock.acquire(paths[0], { watchMs: 1_000 })).toBeDefined()
  expect(await OwnerLock.acquire(paths[1], { watchMs: 600_000 })).toBeDefined()
  // It was merely paused, and goes on.
  const third = await lockPath()
  await writeFile(third, foreign)
  let seconds = Date.now() / 1_000 + 60
  await utimes(third, seconds, seconds)
  const touching = setInterval(() => void utimes(third, ++seconds, seconds).catch(() => {}), 20)
  cleaning.push(() => clearInterval(touching))
  expect(await OwnerLock.acquire(third, { watchMs: 600_000 })).toBeUndefined()
})

test('who holds a lock touches its file until it is released', async () => {
  const path = await lockPath()
  const lock = await OwnerLock.acquire(path, { touchMs: 10 })
  await utimes(path, 1, 1)
  await expect.poll(() => statSync(path).mtimeMs).toBeGreaterThan(1_000)
  await lock!.release()
  const next = await OwnerLock.acquire(path)
  expect(next).toBeDefined()
  await next!.release()
})
