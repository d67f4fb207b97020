import { runProcess } from '@carapace/service'
import { startGateway } from './start.ts'

runProcess('gateway', async environment => {
  const { url, publicBaseUrl, close } = await startGateway(environment)
  return { where: { url, publicBaseUrl }, close }
})
