import { torture } from './torture.ts'

const rounds = Number(process.argv[2] ?? 24)
const report = await torture({ rounds, atLeast: 10_000, killAfterMs: [400, 2_000], writers: 12 }, line => console.log(line))
console.log(report)
const isSound = report.lost + report.torn + report.wrongCounters + report.brokenIndexes + report.duplicates === 0
process.exit(isSound ? 0 : 1)
