import { startGateway } from '@carapace/gateway'
import { startChainPlatform } from '@carapace/testing'
import { services } from '../services.ts'
import { newValidators } from '../testing/scenarios.ts'
import { burstAll, finalStatuses } from './burst.ts'

// npm run bench:burst: 200 concurrent calls of each money operation on one aggregate, on two quiet cores.
const calls = 200
const limitMs = 10_000
const platform = await startChainPlatform({ services, startGateway, env: { CHECK_ANSWERS: 'no' } })
try {
  await newValidators(platform)
  for await (const { operation, totalMs, cpuMs, statuses, otherMs } of burstAll(platform, calls)) {
    const isRight = totalMs <= limitMs && Object.keys(statuses).every(status => finalStatuses.includes(Number(status)))
    if (!isRight) process.exitCode = 1
    console.log(
      `${isRight ? 'ok  ' : 'FAIL'} ${calls} x ${operation.padEnd(14)} ${totalMs.toFixed(0).padStart(6)} ms (at most ${limitMs}), ${cpuMs.toFixed(0)} ms of CPU, ` +
        `slowest read of another ${otherMs.toFixed(0)} ms, answers ${JSON.stringify(statuses)}`,
    )
  }
} finally {
  await platform.end()
}
