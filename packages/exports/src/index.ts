export { csvField, csvLine, withoutFormula } from './csv.ts'
export { terminalTable, terminalText } from './terminal-table.ts'
