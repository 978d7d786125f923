import { expect, test } from 'vitest'
import { csvLine, withoutFormula } from './csv.ts'

test('fields are quoted where they must be, and null differs from an empty text', () => {
  expect(csvLine(['plain', null, '', 'a,b', 'say "hi"', 'two\nlines', '1\r'])).toBe(
    'plain,,"","a,b","say ""hi""","two\nlines","1\r"\n',
  )
})

test('only texts that a spreadsheet would execute begin with an apostrophe', () => {
  for (const text of ['=1+1', '+SUM(A1)', '-1+cmd|x', '@import', '\t=1', '\r=1'])
    expect(withoutFormula(text)).toBe(`'${text}`)
  for (const text of [`+${'Ab/'.repeat(14)}=`, '-1', '-0.5', `-1:${'0A'.repeat(32)}`, 'a=1', '', '7'])
    expect(withoutFormula(text)).toBe(text)
})
