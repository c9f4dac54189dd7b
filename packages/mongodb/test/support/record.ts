import type { CommandStartedEvent, MongoClient } from 'mongodb'

/** One command as it was sent. */
export interface Sent {
  readonly name: string
  readonly command: Record<string, unknown>
  /** How many bytes it takes, as JSON: within a few of the BSON that it was sent as. */
  readonly bytes: number
}

/** Every command that a client with `monitorCommands` sends while `work` runs. */
export async function record(client: MongoClient, work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = []
  const listen = ({ commandName, command }: CommandStartedEvent) => {
    sent.push({ name: commandName, command, bytes: JSON.stringify(command).length })
  }
  client.on('commandStarted', listen)
  try {
    await work()
  } finally {
    client.off('commandStarted', listen)
  }
  return sent
}
