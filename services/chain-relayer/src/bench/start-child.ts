import { type ChildProcess, fork } from 'node:child_process'

/** Starts a part of the bench in a process of its own. @throws Error when it ends before it is ready */
export async function startChild<T>(part: 'devnet' | 'mongo'): Promise<T & { pid: number; close(): Promise<void> }> {
  const child: ChildProcess = fork(new URL('./child.js', import.meta.url), [part], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ready = await new Promise<T>((resolve, reject) => {
    child.once('message', message => resolve(message as T))
    child.once('exit', code => reject(new Error(`${part} ended with ${code}`)))
  })
  const close = () =>
    new Promise<void>(resolve => {
      child.once('exit', () => resolve())
      child.disconnect()
    })
  return { pid: child.pid!, ...ready, close }
}
