import { createInterface } from 'node:readline'
import type { FreeSession } from '@shardwalk/db'
import { csvLine, terminalTable, withoutFormula } from '@shardwalk/exports'
import { terminalText } from '@shardwalk/model'
import { messageOf } from './outcome.ts'

/** Where and in which form rows are printed. */
export interface Printing {
  readonly csv: boolean
  /** Texts that a spreadsheet would take for a formula get an apostrophe. */
  readonly csvSafe?: boolean
  /** CSV is printed in a terminal, which untrusted texts must not control. */
  readonly isTerminal?: boolean
  print(text: string): void
}

/** Runs one statement and prints its rows. */
export async function runStatement(session: FreeSession, text: string, to: Printing): Promise<void> {
  const { columns, rows, command } = await session.run(text)
  if (to.csv) to.print(csvText([columns, ...rows], to))
  else if (columns.length === 0) to.print(command)
  else to.print(`${terminalTable(columns, rows)}\n(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`)
}

function csvText(rows: readonly (readonly (string | null)[])[], to: Printing): string {
  const shown = (text: string | null): string | null => {
    if (text === null) return null
    const safe = to.csvSafe ? withoutFormula(text) : text
    return to.isTerminal ? terminalText(safe) : safe
  }
  return rows
    .map((row) => csvLine(row.map(shown)))
    .join('')
    .slice(0, -1)
}

/**
 * Reads statements, each ended by a semicolon, until the input ends or `\q`. An error of a statement is
 * printed and the next one read. Returns whether all of them ran.
 */
export async function promptForStatements(
  session: FreeSession,
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream },
  to: Printing,
): Promise<boolean> {
  const lines = createInterface({ input, output, prompt: 'shardwalk=> ' })
  let statement = ''
  let isFine = true
  // Input that is not typed may have ended before its lines are read; Node.js 24 refuses to prompt then.
  let isOpen = true
  lines.once('close', () => {
    isOpen = false
  })
  lines.prompt()
  for await (const line of lines) {
    if (/^\s*(\\q|exit|quit)\s*;?\s*$/.test(line)) break
    statement += `${line}\n`
    if (/;\s*$/.test(line)) {
      await runStatement(session, statement, to).catch((error: unknown) => {
        isFine = false
        to.print(`ERROR: ${terminalText(messageOf(error))}`)
      })
      statement = ''
    }
    lines.setPrompt(statement.trim() === '' ? 'shardwalk=> ' : 'shardwalk-> ')
    if (isOpen) lines.prompt()
  }
  lines.close()
  return isFine
}
