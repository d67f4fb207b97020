import { torture } from './torture.ts'

const rounds = Number(process.argv[2] ?? 24)
const report = await torture({ rounds, killAfterMs: [400, 2_000], writers: 12 }, line => console.log(line))
const acknowledged = report.acknowledgedInserts + 3 * report.acknowledgedTransactions + report.acknowledgedIncrements
console.log({ ...report, acknowledgedWrites: acknowledged })
const isSound = report.lost + report.torn + report.wrongCounters + report.brokenIndexes + report.duplicates === 0
process.exit(isSound ? 0 : 1)
