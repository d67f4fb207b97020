import { connect } from 'node:net'
import type { GenericContainer, StartedTestContainer, Wait } from 'testcontainers'

/**
 * Starts a container. Undefined where no engine answers, the image can be had from nowhere, or the time passes.
 * @param refine its ports, its command, and how it is known to be up
 * @example await startContainer('mongo:8', container => container.withExposedPorts(27017), 60_000)
 */
export async function startContainer(
  image: string,
  refine: (container: GenericContainer, wait: typeof Wait) => GenericContainer,
  withinMs: number,
): Promise<StartedTestContainer | undefined> {
  if (!(await engineAnswers())) return undefined
  const testcontainers = await import('testcontainers')
  const starting = refine(new testcontainers.GenericContainer(image), testcontainers.Wait).withStartupTimeout(withinMs).start()
  const started = await Promise.race([
    starting.catch(() => undefined),
    new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), withinMs).unref()),
  ])
  // a pull that ends too late must not leave a container
  if (!started) starting.then(late => late.stop()).catch(() => {})
  return started
}

/** A container engine at DOCKER_HOST or the usual socket accepts connections. */
function engineAnswers(): Promise<boolean> {
  const host = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'
  const { protocol, hostname, port, pathname } = new URL(host)
  const socket = protocol === 'unix:' ? connect(pathname) : connect(Number(port) || 2375, hostname)
  return new Promise(resolve => {
    const settle = (isUp: boolean) => () => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', settle(true))
    socket.once('error', settle(false))
    socket.setTimeout(2_000, settle(false))
  })
}
