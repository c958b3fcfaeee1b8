export { startBot, type BotOptions, type RunningBot } from './main/start-bot.ts';
export { loadBotConfig, ConfigError, type BotConfig } from './main/config.ts';
export { openBotStore, type BotStore } from './store/open-bot-store.ts';
