import { vi } from 'vitest'
import { main } from '../src/main.ts'

/** Runs one command line in this process; returns exit code and output. */
export async function runCommand(argv: readonly string[]) {
  const written: string[] = []
  const spies = (['log', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((text) => void written.push(String(text))),
  )
  const code = await main([...argv]).finally(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return { code, text: written.join('\n') }
}
