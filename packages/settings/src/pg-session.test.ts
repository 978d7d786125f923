import { expect, test } from 'vitest'
import { pgSession } from './pg-session.ts'

const URL_OF_SERVER = 'postgres://user:p%40ss@db:5433/chain?sslmode=require'
const SETTINGS = { lock_timeout: '0', default_transaction_isolation: 'read committed' }
const OURS = String.raw`-c lock_timeout=0 -c default_transaction_isolation=read\ committed`

test('a URL without options stays as it is', () => {
  expect(pgSession(URL_OF_SERVER, SETTINGS, {})).toEqual({ connectionString: URL_OF_SERVER, options: OURS })
})

test('options of the URL are taken out of it and come before ours, which have precedence', () => {
  const url = `${URL_OF_SERVER}&options=-c%20work_mem%3D8MB%20-c%20lock_timeout%3D2s`
  expect(pgSession(url, SETTINGS, { PGOPTIONS: '-c work_mem=9MB' })).toEqual({
    connectionString: URL_OF_SERVER,
    options: `-c work_mem=8MB -c lock_timeout=2s ${OURS}`,
  })
})

test('PGOPTIONS counts where the URL has no options, even empty ones', () => {
  const env = { PGOPTIONS: '-c work_mem=9MB' }
  expect(pgSession(URL_OF_SERVER, SETTINGS, env).options).toBe(`-c work_mem=9MB ${OURS}`)
  expect(pgSession(`${URL_OF_SERVER}&options=`, SETTINGS, env).options).toBe(OURS)
})

test('spaces and backslashes of a value are escaped', () => {
  expect(pgSession(URL_OF_SERVER, { search_path: String.raw`a b\c` }, {}).options).toBe(
    String.raw`-c search_path=a\ b\\c`,
  )
})
