import { expect, test } from 'vitest'
import { type ClockDoubts, ClockQuestions } from './clock-questions.ts'

const DOUBTFUL: ClockDoubts = { isDoubtful: true, isCorrected: false }

/** The seconds at which servers are asked. */
function moments(seconds: number, doubts: (second: number) => ClockDoubts, answers = 3): number[] {
  const questions = new ClockQuestions(10_000, 0)
  return Array.from({ length: seconds }, (_, second) => second).filter((second) => {
    const isDue = questions.isDue(second * 1_000, doubts(second))
    if (isDue) questions.asked(second * 1_000, answers)
    return isDue
  })
}

test('servers are asked while there are doubts, ever later', () => {
  expect(moments(2_000, () => DOUBTFUL)).toEqual([10, 30, 70, 150, 310, 630, 1_230, 1_830])
  expect(moments(2_000, () => ({ isDoubtful: false, isCorrected: false }))).toEqual([])
})

test('doubts that come again begin from the first pause', () => {
  const hasDoubts = (second: number) => second < 1_300 || second >= 2_000
  expect(
    moments(2_050, (second) => ({ isDoubtful: hasDoubts(second), isCorrected: false })).slice(-3),
  ).toEqual([1_230, 2_000, 2_020])
})

test('while none answers they are asked once a minute', () => {
  expect(moments(400, () => DOUBTFUL, 0)).toEqual([10, 30, 70, 130, 190, 250, 310, 370])
})

test('while time goes by them they are asked once a minute, also if peers show nothing wrong', () => {
  const corrected = (second: number) => ({ isDoubtful: second < 200, isCorrected: second >= 10 })
  expect(moments(400, corrected)).toEqual([10, 30, 70, 130, 190, 250, 310, 370])
})
