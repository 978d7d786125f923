import { expect, test } from 'vitest'
import { callScope, shared, within } from './call-scope.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('the end of a scope leaves others as they are, also that of work which outlives its own', async () => {
  const seen: unknown[] = []
  const ends: (() => void)[] = []
  const until = () => new Promise<void>((resolve) => ends.push(resolve))
  const waiting = async () => {
    await until()
    seen.push(callScope().client)
  }
  const long = within({ client: 'long' }, waiting)
  let outliving: Promise<void> | undefined
  await within({ client: 'short', signal: new AbortController().signal }, async () => {
    outliving = shared(waiting)
  })
  await turn()
  ends.shift()!()
  await long
  await turn()
  ends.shift()!()
  await outliving
  expect(seen).toEqual(['long', 'short'])
  expect(callScope()).toEqual({})
})

test('work that goes on after its scope was aborted still has it, so that it asks for no more', async () => {
  const abort = new AbortController()
  let goOn = () => {}
  let end: (aborted: boolean | undefined) => void = () => {}
  const seen = new Promise<boolean | undefined>((resolve) => {
    end = resolve
  })
  const left = within({ signal: abort.signal }, async () => {
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
    end(callScope().signal?.aborted)
  })
  abort.abort()
  await expect(left).rejects.toMatchObject({ code: 'aborted' })
  await turn()
  goOn()
  expect(await seen).toBe(true)
})
