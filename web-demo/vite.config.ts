import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [vue()],
  build: { outDir: "dist/page", emptyOutDir: true, chunkSizeWarningLimit: 1000 },
});
